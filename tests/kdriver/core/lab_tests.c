#include "checks.h"
#include "tracer_lab.h"

/* Windows 7 of 32 bits with an APIC: may be. */
static const struct tracer_lab_facts old_machine = {
	.windows = TRACER_LAB_WINDOWS(6, 1),
	.word_bytes = 4,
	.has_apic = true,
	.is_apic_enabled = true,
	.can_exchange = true,
};

static void decides_by_the_facts(void)
{
	struct tracer_lab_facts facts = old_machine;

	CHECK_EQUAL(TRACER_REFUSAL_NONE, tracer_lab_decide(&facts));
	facts.is_hyper_v = true;
	CHECK_EQUAL(TRACER_REFUSAL_HYPERVISOR, tracer_lab_decide(&facts));
	facts = old_machine;
	facts.has_hvci = true;
	CHECK_EQUAL(TRACER_REFUSAL_HVCI, tracer_lab_decide(&facts));
	facts = old_machine;
	facts.has_kva_shadow = true;
	CHECK_EQUAL(TRACER_REFUSAL_KVA_SHADOW, tracer_lab_decide(&facts));
	facts = old_machine;
	facts.is_x2_apic = true;
	CHECK_EQUAL(TRACER_REFUSAL_X2_APIC, tracer_lab_decide(&facts));
	facts = old_machine;
	facts.has_apic = false;
	CHECK_EQUAL(TRACER_REFUSAL_HYPERVISOR, tracer_lab_decide(&facts));
	facts = old_machine;
	facts.is_apic_enabled = false;
	CHECK_EQUAL(TRACER_REFUSAL_HYPERVISOR, tracer_lab_decide(&facts));
	facts = old_machine;
	facts.can_exchange = false;
	CHECK_EQUAL(TRACER_REFUSAL_GATE, tracer_lab_decide(&facts));
}

/* SMEP and SMAP are no reason; shadow stacks are, and so is FRED: nothing goes through the IDT then. */
static void looks_at_the_processors_protection(void)
{
	struct tracer_lab_facts facts = old_machine;

	facts.control_4 = TRACER_LAB_CR4_SMEP | TRACER_LAB_CR4_SMAP;
	CHECK_EQUAL(TRACER_REFUSAL_NONE, tracer_lab_decide(&facts));
	facts.control_4 |= TRACER_LAB_CR4_CET;
	CHECK_EQUAL(TRACER_REFUSAL_PROTECTION, tracer_lab_decide(&facts));
	facts.control_4 = TRACER_LAB_CR4_FRED;
	CHECK_EQUAL(TRACER_REFUSAL_PROTECTION, tracer_lab_decide(&facts));
}

static void refuses_where_it_is_verified(void)
{
	struct tracer_lab_facts facts = old_machine;

	facts.is_verified = true;
	CHECK_EQUAL(TRACER_REFUSAL_VERIFIER, tracer_lab_decide(&facts));
}

/* Nothing known: everything against it. */
static void refuses_what_it_does_not_know(void)
{
	struct tracer_lab_facts facts = { .windows = UINT32_MAX, .word_bytes = 4 };

	CHECK(tracer_lab_decide(&facts) != TRACER_REFUSAL_NONE);
	facts.word_bytes = 8;
	facts.windows = 0;
	CHECK(tracer_lab_decide(&facts) != TRACER_REFUSAL_NONE);
}

static void asks_for_a_debugger_from_the_start(void)
{
	struct tracer_lab_facts facts = old_machine;

	facts.word_bytes = 8;
	for (unsigned known = 0; known < 8; known++) {
		facts.is_debugger_attached = known & 1;
		facts.has_option_debug = known >> 1 & 1;
		facts.has_option_break = known >> 2 & 1;
		CHECK_EQUAL(known == 7 ? TRACER_REFUSAL_NONE : TRACER_REFUSAL_PATCH_GUARD, tracer_lab_decide(&facts));
	}
	facts = old_machine;
	facts.windows = TRACER_LAB_WINDOWS(6, 2);
	CHECK_EQUAL(TRACER_REFUSAL_PATCH_GUARD, tracer_lab_decide(&facts));
}

static bool has(const char *options, const char *word)
{
	uint16_t wide[64];
	size_t count = 0;

	while (options[count] != 0 && count < 64) {
		wide[count] = (uint8_t)options[count];
		count++;
	}
	return tracer_lab_has_option(wide, count, word);
}

static void reads_boot_options(void)
{
	CHECK(has(" NOEXECUTE=OPTIN  DEBUG  DEBUGPORT=COM1  BREAK", "DEBUG"));
	CHECK(has(" NOEXECUTE=OPTIN  DEBUG  DEBUGPORT=COM1  BREAK", "BREAK"));
	CHECK(has("/debug=autoenable /break", "BREAK"));
	CHECK(has("/debug=autoenable /break", "DEBUG"));
	CHECK(has("BREAK", "BREAK"));
	CHECK(!has(" NODEBUG NOBREAK", "DEBUG"));
	CHECK(!has(" NODEBUG NOBREAK", "BREAK"));
	CHECK(!has(" DEBUGPORT=COM1 BREAKS", "DEBUG"));
	CHECK(!has(" DEBUGPORT=COM1 BREAKS", "BREAK"));
	CHECK(!has(" BREA", "BREAK"));
	CHECK(!has("", "BREAK"));
}

static void finds_a_vector_that_nobody_has(void)
{
	uint64_t handlers[256];

	for (unsigned vector = 0; vector < 256; vector++)
		handlers[vector] = UINT64_C(0xFFFFF80000001000) + 8 * vector;
	CHECK_EQUAL(0xC2, tracer_lab_free_vector(handlers));
	handlers[0xC2] = 0;
	CHECK_EQUAL(0xC4, tracer_lab_free_vector(handlers));
	handlers[0xC2] = UINT64_C(0xFFFFF80000001000) + 8 * 0xC2;
	handlers[0xC3] = UINT64_C(0xFFFFF80000009000);
	CHECK_EQUAL(0xC5, tracer_lab_free_vector(handlers));
	handlers[0xC6] = 0;
	CHECK_EQUAL(0xC8, tracer_lab_free_vector(handlers));
	for (unsigned vector = 0xC0; vector <= 0xCD; vector++)
		handlers[vector] = UINT64_C(0xFFFFF80000001000);
	CHECK_EQUAL(0, tracer_lab_free_vector(handlers));
	for (unsigned vector = 0xC0; vector <= 0xCD; vector++)
		handlers[vector] = UINT64_C(0xFFFFF80000001000) + UINT64_C(0x10000) * vector;
	CHECK_EQUAL(0, tracer_lab_free_vector(handlers));
}

void lab_tests(void)
{
	run_test("laboratory: decides by the facts", decides_by_the_facts);
	run_test("laboratory: looks at the processor's protection", looks_at_the_processors_protection);
	run_test("laboratory: refuses where Driver Verifier looks on", refuses_where_it_is_verified);
	run_test("laboratory: refuses what it does not know", refuses_what_it_does_not_know);
	run_test("laboratory: asks for a debugger from the start", asks_for_a_debugger_from_the_start);
	run_test("laboratory: reads boot options", reads_boot_options);
	run_test("laboratory: finds a vector that nobody has", finds_a_vector_that_nobody_has);
}
