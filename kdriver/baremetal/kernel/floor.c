/* The latency of the idle machine, and that no threshold near it is taken. */
#include "measurement.h"

static struct tracer_histogram histogram;

/* The median: on several CPUs QEMU lets one stand now and then while another works, and the longest would be that. */
uint64_t floor_of_probes(void)
{
	uint64_t seen = 0;

	histogram = (struct tracer_histogram){ .total = 0 };
	for (uint32_t cpu = 0; cpu < ki_boot->cpus; cpu++)
		tracer_probe_histogram(&measured_cpus[cpu].probe, TRACER_PHASE_TOTAL, 0, &histogram);
	for (unsigned bucket = 0; bucket < TRACER_HISTOGRAM_BUCKETS; bucket++) {
		seen += histogram.buckets[bucket];
		if (seen * 2 > histogram.total)
			return tracer_bucket_start(bucket + 1);
	}
	return 0;
}

static enum tracer_refusal ask(struct tracer_start_request request, const struct tracer_offer *offer, uint64_t threshold_ns)
{
	struct tracer_run run;

	request.threshold_ns = threshold_ns;
	return tracer_run_prepare(&run, &request, offer);
}

bool floor_is_observed(const struct tracer_start_request *request, const struct tracer_offer *offer)
{
	return offer->floor_ns != 0 && ask(*request, offer, 2 * offer->floor_ns - 1) == TRACER_REFUSAL_THRESHOLD &&
		ask(*request, offer, 2 * offer->floor_ns) == TRACER_REFUSAL_NONE;
}
