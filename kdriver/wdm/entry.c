/*
 * The driver's way in and out: each subject has its init and, where there is something to take back, its cleanup. Unloading is the list
 * of inits in reverse, and so is an init that fails halfway.
 */
#include "entry.h"

#include "chores.h"
#include "device.h"
#include "events.h"
#include "measurement.h"
#include "pool.h"
#include "power.h"
#include "records.h"
#include "requests.h"
#include "routines.h"
#include "smi.h"
#include "stamps.h"

struct subject {
	NTSTATUS (*init)(PDRIVER_OBJECT driver); /* thrown away with the INIT section */
	void (*cleanup)(void);                   /* null: nothing to take back */
};

static const struct subject subjects[] = {
	{ routines_init, NULL },
	{ pool_init, NULL },
	{ smi_init, NULL },
	{ events_init, events_cleanup },
	{ chores_init, NULL },
	{ records_init, records_cleanup },
	{ stamps_init, NULL },
	{ measurement_init, measurement_cleanup },
	{ power_init, power_cleanup },
	{ requests_init, NULL },
	{ device_init, device_cleanup }, /* last: from here on requests come */
};

static PDRIVER_OBJECT this_driver;
static bool is_image_held;

_IRQL_requires_(PASSIVE_LEVEL) static void clean_up(unsigned count)
{
	AT_PASSIVE();
	while (count-- > 0) {
		if (subjects[count].cleanup != NULL)
			subjects[count].cleanup();
	}
}

_IRQL_requires_(PASSIVE_LEVEL) static VOID NTAPI DriverUnload(PDRIVER_OBJECT driver)
{
	AT_PASSIVE();
	UNREFERENCED_PARAMETER(driver);
	clean_up(sizeof(subjects) / sizeof(subjects[0]));
}

/*
 * The I/O manager calls DriverUnload when no handle is open any more (WDK: "Unload Routine Environment"), and whether it is there was asked
 * when the unload was requested, which may be long ago: a routine that is taken away meanwhile is called at address 0. The image is
 * unmapped when the driver object goes, with its last reference.
 */
_IRQL_requires_(PASSIVE_LEVEL) void entry_hold_image(bool is_held)
{
	AT_PASSIVE();
	if (is_held == is_image_held)
		return;
	is_image_held = is_held;
	if (is_held)
		ObReferenceObject(this_driver);
	else
		ObDereferenceObject(this_driver);
}

DRIVER_INITIALIZE DriverEntry;

_IRQL_requires_(PASSIVE_LEVEL) INIT_ONLY NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING registry_path)
{
	NTSTATUS status;

	AT_PASSIVE();
	UNREFERENCED_PARAMETER(registry_path);
	this_driver = driver;
	for (unsigned i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++) {
		status = subjects[i].init(driver);
		if (!NT_SUCCESS(status)) {
			clean_up(i);
			return status;
		}
	}
	driver->DriverUnload = DriverUnload;
	return STATUS_SUCCESS;
}
