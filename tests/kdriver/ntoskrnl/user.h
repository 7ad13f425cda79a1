/* Who uses the driver: the service manager, programs that open the device, the power button. All but what says so at PASSIVE_LEVEL. */
#ifndef USER_H
#define USER_H

#include "machine.h"

struct request {
	PIRP irp; /* null: completed */
	PFILE_OBJECT file;
	NTSTATUS status;
	ULONG_PTR information;
	bool is_marked;   /* pending */
	bool is_returned; /* from the dispatch routine */
	bool holds_file;  /* a request of a program: the file is not closed before it ends */
	void *buffer;     /* the system's, of METHOD_BUFFERED */
	uint32_t output_bytes;
	void *output; /* the program's */
};

/* Loads the image that the test names, and calls its DriverEntry; its status. */
NTSTATUS user_loads(void);
extern const char *driver_image;

/* As the service manager's stop: at once, or behind the last handle's close. Then nothing of the driver may be left. */
NTSTATUS user_unloads(void);
bool user_is_loaded(void);

/* Null where it is refused; *status says why. */
PFILE_OBJECT user_opens_as(bool is_administrator, const char *name_inside, NTSTATUS *status);
PFILE_OBJECT user_opens(void);
void user_closes(PFILE_OBJECT file);

/* One request; where it waits, *request is to be waited for. */
NTSTATUS user_begins_control(PFILE_OBJECT file, uint32_t code, const void *input, uint32_t input_bytes, void *output, uint32_t output_bytes,
	struct request *request);
NTSTATUS user_begins_read(PFILE_OBJECT file, void *output, uint32_t bytes, struct request *request);
NTSTATUS user_awaits(struct request *request);
void user_cancels(struct request *request);
NTSTATUS user_controls(PFILE_OBJECT file, uint32_t code, const void *input, uint32_t input_bytes, void *output, uint32_t output_bytes,
	ULONG_PTR *written);

/* Threads of programs. */
struct fake_fiber *user_thread(const char *name, KPRIORITY priority, void (*routine)(void *context), void *context);
void user_joins(struct fake_fiber *thread);
void user_sleeps(uint64_t ns);

/* The machine. */
void user_changes_power(bool is_back, bool is_dispatch);
void user_changes_power_setting(const GUID *setting, ULONG value);
ULONG user_power_setting(const GUID *setting);
void user_adds_processor(void);
void user_masks(unsigned processor, uint64_t ns); /* its interrupts are off so long */

/* What ETW took. */
struct log {
	uint64_t events;
	uint64_t bytes;
	uint32_t timer_states; /* events of this name that the driver wrote, taken or not */
};
extern struct log events_logged;
extern bool is_session_on; /* a session listens */

PACCESS_TOKEN user_token(bool is_administrator);
bool device_is_secured(void);
bool is_name(const UNICODE_STRING *string, const char *text);
PDRIVER_OBJECT driver_object(void);
LONG *driver_references(void);

#endif
