; The test kernel's interrupt entries, its context switch and its way to user mode (win64 calling convention).

bits 64
default rel

SAVED               equ 8              ; registers pushed by `any_interrupt`
VECTOR              equ 8 * SAVED
HOME_BYTES          equ 32
KERNEL_CODE         equ 0x08
KERNEL_DATA         equ 0x10
USER_DATA           equ 0x1B
USER_CODE           equ 0x23
FLAGS_INTERRUPTS_ON equ 0x202

extern KiInterrupt
extern PspSystemThreadStartup

section .text align=16

; 256 entries of 16 bytes: each pushes its vector.
global ki_entries
align 16
ki_entries:
%assign vector 0
%rep 256
align 16
        push    strict dword vector
        jmp     strict near any_interrupt
%assign vector vector + 1
%endrep

align 16
any_interrupt:
        push    rax
        push    rcx
        push    rdx
        push    r8
        push    r9
        push    r10
        push    r11
        push    rbp
        mov     rbp, rsp
        mov     ecx, [rbp + VECTOR]
        lea     rdx, [rbp + VECTOR + 8]
        and     rsp, -16
        sub     rsp, HOME_BYTES
        cld
        call    KiInterrupt
        mov     rsp, rbp
        pop     rbp
        pop     r11
        pop     r10
        pop     r9
        pop     r8
        pop     rdx
        pop     rcx
        pop     rax
        lea     rsp, [rsp + 8]
        iretq

; void KiSwapContext(uint64_t *old_stack, uint64_t new_stack)
global KiSwapContext
align 16
KiSwapContext:
        push    rbx
        push    rbp
        push    rdi
        push    rsi
        push    r12
        push    r13
        push    r14
        push    r15
        mov     [rcx], rsp
        mov     rsp, rdx
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     rsi
        pop     rdi
        pop     rbp
        pop     rbx
        ret

; Where a new thread begins: r12 = its routine.
global KiStartSystemThread
align 16
KiStartSystemThread:
        sub     rsp, HOME_BYTES
        mov     rcx, r12
        call    PspSystemThreadStartup
        ud2

; void KiEnterUser(uint64_t entry, uint64_t stack): does not return. Interrupts come back on the stack of the task state.
global KiEnterUser
align 16
KiEnterUser:
        push    USER_DATA
        push    rdx
        push    FLAGS_INTERRUPTS_ON
        push    USER_CODE
        push    rcx
        iretq

; void KiLoadDescriptors(const void *gdt_pointer, const void *idt_pointer, uint16_t task)
global KiLoadDescriptors
align 16
KiLoadDescriptors:
        lgdt    [rcx]
        lidt    [rdx]
        ltr     r8w
        mov     eax, KERNEL_DATA
        mov     ds, eax
        mov     es, eax
        mov     ss, eax
        lea     rax, [.loaded]
        push    KERNEL_CODE
        push    rax
        o64 retf
.loaded:
        ret
