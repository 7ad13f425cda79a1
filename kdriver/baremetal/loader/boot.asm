; Where QEMU's -kernel enters (PVH: 32-bit protected mode, paging off, ebx = start info). Maps the first 4 GB one to one, enters 64-bit
; mode and calls the loader. The loader fills the page directory of the kernel's part of the address space.

bits 32

PRESENT_WRITABLE    equ 3
LARGE_PAGE          equ 0x83
HIGH_ENTRY          equ 0x1F0          ; 0xFFFFF80000000000
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

section .bss align=4096
pml4:                   resb 4096
low_pdpt:               resb 4096
high_pdpt:              resb 4096
low_directories:        resb 4 * 4096
global start
global loader_high_directory
loader_high_directory:  resb 4096
                        resb STACK_BYTES
stack_top:

section .text
extern loader_main
start:
        cli
        cld
        mov     esp, stack_top
        mov     dword [pml4], low_pdpt + PRESENT_WRITABLE
        mov     dword [pml4 + 8 * HIGH_ENTRY], high_pdpt + PRESENT_WRITABLE
        mov     dword [high_pdpt], loader_high_directory + PRESENT_WRITABLE
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
        jmp     0x08:long_mode

bits 64
long_mode:
        mov     eax, 0x10
        mov     ds, eax
        mov     es, eax
        mov     ss, eax
        mov     edi, ebx
        mov     rsp, stack_top
        call    loader_main
.stopped:
        hlt
        jmp     .stopped

section .note.GNU-stack noalloc noexec nowrite progbits
