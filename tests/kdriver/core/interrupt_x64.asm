; Interrupts for tests of the stubs, in user mode: builds the frame that a CPU would push, loads the registers of the "interrupted"
; code and enters a thunk. Stubs that jump on come out at interrupt_landing, those that return at interrupt_return; both keep what they
; find in `interrupt_after` and return to the caller of enter_stub_at.

bits 64
default rel

; struct interrupt_state: ax cx dx bx sp bp si di r8 .. r15, ip, cs, flags, ss, all of 8 bytes
STATE_IP            equ 16 * 8
STATE_CS            equ 17 * 8
STATE_FLAGS         equ 18 * 8
STATE_SS            equ 19 * 8

global enter_stub_at
global interrupt_landing
global interrupt_return
global interrupt_after
global interrupt_kept_sp

section .bss align=16
interrupt_after:    resq 20
interrupt_kept_sp:  resq 1

section .text

; void enter_stub_at(const void *thunk, const struct interrupt_state *before)
enter_stub_at:
        push    rbx
        push    rbp
        push    r12
        push    r13
        push    r14
        push    r15
        mov     [interrupt_kept_sp], rsp
        push    qword [rsi + STATE_SS]
        push    qword [rsi + 4 * 8]
        push    qword [rsi + STATE_FLAGS]
        push    qword [rsi + STATE_CS]
        push    qword [rsi + STATE_IP]
        push    rdi
        mov     rax, [rsi]
        mov     rcx, [rsi + 1 * 8]
        mov     rdx, [rsi + 2 * 8]
        mov     rbx, [rsi + 3 * 8]
        mov     rbp, [rsi + 5 * 8]
        mov     rdi, [rsi + 7 * 8]
        mov     r8, [rsi + 8 * 8]
        mov     r9, [rsi + 9 * 8]
        mov     r10, [rsi + 10 * 8]
        mov     r11, [rsi + 11 * 8]
        mov     r12, [rsi + 12 * 8]
        mov     r13, [rsi + 13 * 8]
        mov     r14, [rsi + 14 * 8]
        mov     r15, [rsi + 15 * 8]
        mov     rsi, [rsi + 6 * 8]
        ret

%macro keep_registers 0
        mov     [interrupt_after], rax
        mov     [interrupt_after + 1 * 8], rcx
        mov     [interrupt_after + 2 * 8], rdx
        mov     [interrupt_after + 3 * 8], rbx
        mov     [interrupt_after + 5 * 8], rbp
        mov     [interrupt_after + 6 * 8], rsi
        mov     [interrupt_after + 7 * 8], rdi
        mov     [interrupt_after + 8 * 8], r8
        mov     [interrupt_after + 9 * 8], r9
        mov     [interrupt_after + 10 * 8], r10
        mov     [interrupt_after + 11 * 8], r11
        mov     [interrupt_after + 12 * 8], r12
        mov     [interrupt_after + 13 * 8], r13
        mov     [interrupt_after + 14 * 8], r14
        mov     [interrupt_after + 15 * 8], r15
%endmacro

; The old handler: the CPU's frame lies on the stack as if nobody had been there.
interrupt_landing:
        keep_registers
        pop     qword [interrupt_after + STATE_IP]
        pop     qword [interrupt_after + STATE_CS]
        pop     qword [interrupt_after + STATE_FLAGS]
        pop     qword [interrupt_after + 4 * 8]
        pop     qword [interrupt_after + STATE_SS]
        jmp     back

; The interrupted code, gone on.
interrupt_return:
        keep_registers
        mov     [interrupt_after + 4 * 8], rsp
        pushfq
        pop     qword [interrupt_after + STATE_FLAGS]
back:
        mov     rsp, [interrupt_kept_sp]
        pop     r15
        pop     r14
        pop     r13
        pop     r12
        pop     rbp
        pop     rbx
        ret

section .note.GNU-stack noalloc noexec nowrite progbits
