#include "tracer_lab.h"

#define FIRST_VECTOR 0xC2u
#define LAST_VECTOR 0xCCu
#define LONGEST_STUB 64u

/* The system may check its interrupt table. */
static bool may_be_guarded(const struct tracer_lab_facts *facts)
{
	bool is_old = facts->word_bytes == 4 && facts->windows <= TRACER_LAB_WINDOWS(6, 1);

	return !is_old && !(facts->is_debugger_attached && facts->has_option_debug && facts->has_option_break);
}

enum tracer_refusal tracer_lab_decide(const struct tracer_lab_facts *facts)
{
	if (facts->is_hyper_v)
		return TRACER_REFUSAL_HYPERVISOR;
	if (facts->has_hvci)
		return TRACER_REFUSAL_HVCI;
	if (facts->has_kva_shadow)
		return TRACER_REFUSAL_KVA_SHADOW;
	if (may_be_guarded(facts))
		return TRACER_REFUSAL_PATCH_GUARD;
	if (facts->is_verified)
		return TRACER_REFUSAL_VERIFIER;
	if (facts->control_4 & (TRACER_LAB_CR4_CET | TRACER_LAB_CR4_FRED))
		return TRACER_REFUSAL_PROTECTION;
	if (facts->is_x2_apic)
		return TRACER_REFUSAL_X2_APIC;
	if (!facts->has_apic || !facts->is_apic_enabled)
		return TRACER_REFUSAL_HYPERVISOR;
	return facts->can_exchange ? TRACER_REFUSAL_NONE : TRACER_REFUSAL_GATE;
}

static uint16_t upper(uint16_t letter)
{
	return letter >= 'a' && letter <= 'z' ? (uint16_t)(letter - ('a' - 'A')) : letter;
}

/* Whether the option that begins here is the word: it ends with the text, a blank, a NUL or a value. */
static bool is_word(const uint16_t *option, size_t count, const char *word)
{
	size_t at = 0;

	while (word[at] != 0) {
		if (at == count || upper(option[at]) != (uint16_t)word[at])
			return false;
		at++;
	}
	return at == count || option[at] == ' ' || option[at] == '=' || option[at] == 0;
}

bool tracer_lab_has_option(const uint16_t *options, size_t count, const char *word)
{
	bool is_at_start = true;

	for (size_t at = 0; at < count && options[at] != 0; at++) {
		if (is_at_start && is_word(options + at, count - at, word))
			return true;
		is_at_start = options[at] == ' ' || options[at] == '/';
	}
	return false;
}

uint8_t tracer_lab_free_vector(const uint64_t handlers[256])
{
	for (unsigned vector = FIRST_VECTOR; vector <= LAST_VECTOR; vector++) {
		uint64_t before = handlers[vector - 1], own = handlers[vector], behind = handlers[vector + 1];
		uint64_t stub = own - before;

		if (before != 0 && own != 0 && behind != 0 && stub != 0 && stub <= LONGEST_STUB && behind - own == stub)
			return (uint8_t)vector;
	}
	return 0;
}
