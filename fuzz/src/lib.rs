//! Fuzz targets for Roomwire, with bodies that also run as tests on stable.
