/* Uses the codec from C: a STATE_SET becomes a STATE_UPDATE, and lengths that would wrap are refused. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int32_t roomwire_update_of_set(const uint8_t *message, size_t message_len, uint32_t rev, uint8_t *out, size_t out_len);
int32_t roomwire_check(const uint8_t *message, size_t len);

static int failures = 0;

static void expect(const char *what, int ok) {
    printf("%s: %s\n", ok ? "ok" : "FAILED", what);
    failures += !ok;
}

#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

int main(void) {
    uint8_t out[64];
    int32_t len = roomwire_update_of_set(BYTES("\xF4\x02\x00" "ab" "v"), 7, out, sizeof out);
    expect("a set becomes an update", len == 10 && memcmp(out, "\xF5\x07\x00\x00\x00\x02\x00" "abv", 10) == 0);
    expect("a short buffer is refused", roomwire_update_of_set(BYTES("\xF4\x02\x00" "ab" "v"), 7, out, 9) == -2);
    expect("a key of no bytes is refused", roomwire_update_of_set(BYTES("\xF4\x00\x00"), 7, out, sizeof out) == -1);
    expect("a snapshot is read", roomwire_check(BYTES("\xF6\x01\x00\x00\x00\x05\x00\x00\x00\x01\x00" "k" "\x00\x00\x00\x00")) == 1);
    expect("a count of 4294967295 is refused at byte 1", roomwire_check(BYTES("\xF6\xFF\xFF\xFF\xFF" "0123456789A")) == -2);
    expect("a value of 4294967290 bytes is refused at byte 16",
           roomwire_check(BYTES("\xF6\x01\x00\x00\x00\x05\x00\x00\x00\x01\x00" "k" "\xFA\xFF\xFF\xFF")) == -17);
    return failures != 0;
}
