; Where QEMU's -kernel enters (PVH: 32-bit protected mode, paging off, ebx = start info). Maps the first 4 GB one to one, enters 64-bit
; mode and calls the loader. The loader fills the page directories of the kernel's and the user's part of the address space.
;
; Further CPUs begin in real mode at START_PAGE, where the loader has put a copy of `second_start`, whenever the kernel sends them there
; (start-up IPI). They take the same page tables and call the routine that the kernel has left in `loader_second`, on the stack there.

bits 32

PRESENT_WRITABLE    equ 3
USER                equ 4
LARGE_PAGE          equ 0x83
HIGH_ENTRY          equ 0x1F0          ; 0xFFFFF80000000000
USER_ENTRY          equ 0x0FF          ; 0x00007FF600000000: its PML4 entry, and in the table below it
USER_LOW_ENTRY      equ 0x1D8
START_PAGE          equ 0x8000
MSR_EFER            equ 0xC0000080
EFER_LONG_MODE      equ 0x100
CR4_PAE             equ 0x20
CR0_PAGING          equ 0x80000000
STACK_BYTES         equ 0x4000

section .note.Xen note alloc noexec nowrite align=4
        dd      4, 4, 18               ; XEN_ELFNOTE_PHYS32_ENTRY
        db      "Xen", 0
        dd      start

section .data align=16
gdt:
        dq      0
        dq      0x00AF9B000000FFFF     ; 0x08: 64-bit code, privilege 0
        dq      0x00CF93000000FFFF     ; 0x10: data
gdt_pointer:
        dw      gdt_pointer - gdt - 1
        dd      gdt, 0

global loader_second_bytes
loader_second_bytes:
        dd      loader_second_end - loader_second_start

; struct boot_second_cpu (boot_info.h)
global loader_second
align 8
loader_second:
.routine:
        dq      0
.stack:
        dq      0

section .bss align=4096
pml4:                   resb 4096
low_pdpt:               resb 4096
high_pdpt:              resb 4096
user_pdpt:              resb 4096
low_directories:        resb 4 * 4096
global start
global loader_high_directory
loader_high_directory:  resb 4096
global loader_user_directory
loader_user_directory:  resb 4096
                        resb STACK_BYTES
stack_top:
                        resb 64        ; CPUs start one after the other
second_stack_top:

section .text
extern loader_main
start:
        cli
        cld
        mov     esp, stack_top
        mov     dword [pml4], low_pdpt + PRESENT_WRITABLE
        mov     dword [pml4 + 8 * HIGH_ENTRY], high_pdpt + PRESENT_WRITABLE
        mov     dword [high_pdpt], loader_high_directory + PRESENT_WRITABLE
        mov     dword [pml4 + 8 * USER_ENTRY], user_pdpt + PRESENT_WRITABLE + USER
        mov     dword [user_pdpt + 8 * USER_LOW_ENTRY], loader_user_directory + PRESENT_WRITABLE + USER
        mov     eax, low_directories + PRESENT_WRITABLE
        mov     edi, low_pdpt
        mov     ecx, 4
.gigabytes:
        mov     [edi], eax
        add     eax, 4096
        add     edi, 8
        loop    .gigabytes
        mov     eax, LARGE_PAGE
        mov     edi, low_directories
        mov     ecx, 4 * 512
.pages:
        mov     [edi], eax
        add     eax, 1 << 21
        add     edi, 8
        loop    .pages

        call    enter_long_mode
        jmp     0x08:long_mode

; Paging and 64-bit mode by the tables above; what is executed is still 32-bit code until the far jump behind it.
enter_long_mode:
        mov     eax, cr4
        or      eax, CR4_PAE
        mov     cr4, eax
        mov     eax, pml4
        mov     cr3, eax
        mov     ecx, MSR_EFER
        rdmsr
        or      eax, EFER_LONG_MODE
        wrmsr
        mov     eax, cr0
        or      eax, CR0_PAGING
        mov     cr0, eax
        lgdt    [gdt_pointer]
        ret

bits 64
long_mode:
        mov     eax, 0x10
        mov     ds, eax
        mov     es, eax
        mov     ss, eax
        mov     edi, ebx
        mov     rsp, stack_top
        call    loader_main
stopped:
        hlt
        jmp     stopped

; A further CPU. Copied to START_PAGE: until the jump to `second_protected` only addresses of the copy are right.
bits 16
global loader_second_start
loader_second_start:
        cli
        xor     ax, ax
        mov     ds, ax
        lgdt    [START_PAGE + start_gdt_pointer - loader_second_start]
        mov     eax, cr0
        or      al, 1
        mov     cr0, eax
        jmp     dword 0x08:second_protected
align 8
start_gdt:
        dq      0
        dq      0x00CF9B000000FFFF     ; 0x08: 32-bit code
        dq      0x00CF93000000FFFF     ; 0x10: data
start_gdt_pointer:
        dw      start_gdt_pointer - start_gdt - 1
        dd      START_PAGE + start_gdt - loader_second_start
loader_second_end:

bits 32
second_protected:
        mov     eax, 0x10
        mov     ds, eax
        mov     es, eax
        mov     ss, eax
        mov     esp, second_stack_top
        call    enter_long_mode
        jmp     0x08:second_long_mode

bits 64
second_long_mode:
        mov     eax, 0x10
        mov     ds, eax
        mov     es, eax
        mov     ss, eax
        mov     rsp, [loader_second.stack]
        call    [loader_second.routine]
        jmp     stopped

section .note.GNU-stack noalloc noexec nowrite progbits
