; The test kernel's interrupt entries and its context switch (win64 calling convention).

bits 64
default rel

SAVED               equ 8              ; registers pushed by `any_interrupt`
VECTOR              equ 8 * SAVED
HOME_BYTES          equ 32

extern KiInterrupt
extern KiRunThread

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
global KiThreadEntry
align 16
KiThreadEntry:
        sub     rsp, HOME_BYTES
        mov     rcx, r12
        call    KiRunThread
        ud2
