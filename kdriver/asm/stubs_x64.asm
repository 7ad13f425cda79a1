; Interrupt stubs for 64-bit mode (kdriver/core/tracer_stubs.h): nasm -f elf64 or -f win64.
;
; A gate leads to the thunk of its CPU, which pushes the CPU's number; `enter` saves the registers that the rest uses:
;
;   rsp ->  r9 r8 rdi rsi rbx rcx rdx rax  cpu  rip cs rflags rsp ss
;
; Nothing here takes a lock, touches GS or calls C before the sample is taken; the PIT stub never does.

bits 64
default rel
%include "layout.inc"

FRAME_RDI           equ 16
FRAME_RSI           equ 24
FRAME_RBX           equ 32
FRAME_CPU           equ 64
FRAME_RIP           equ 72
FRAME_CS            equ 80
FRAME_RFLAGS        equ 88
FRAME_RSP           equ 96

%ifidn __OUTPUT_FORMAT__, win64
%define ARGUMENT_0  rcx
%define ARGUMENT_0D ecx
%define ARGUMENT_1  rdx
%else
%define ARGUMENT_0  rdi
%define ARGUMENT_0D edi
%define ARGUMENT_1  rsi
%endif
HOME_BYTES          equ 32         ; what a Windows callee may use of its caller's frame

extern tracer_on_latency_interrupt
extern tracer_on_apic_error
extern tracer_nmi_acknowledge

global tracer_stub_cpus
global tracer_stub_pit_chain
global tracer_stub_nmi_chain
global tracer_stub_lowest_stack
global tracer_stub_swap_gs
global tracer_stub_clear_ac

section .data align=8
tracer_stub_lowest_stack: dq 0xFFFF800000000000

section .bss align=64
tracer_stub_cpus:       resb MAX_CPUS << CPU_BYTES_SHIFT
tracer_stub_pit_chain:  resq 1
tracer_stub_nmi_chain:  resq 1
tracer_stub_swap_gs:    resd 1
tracer_stub_clear_ac:   resd 1

section .text align=16

; Saves registers; rdi = frame, r8 = TSC.
%macro enter_stub 0
        push    rax
        push    rdx
        rdtsc
        shl     rdx, 32
        or      rax, rdx
        push    rcx
        push    rbx
        push    rsi
        push    rdi
        push    r8
        push    r9
        mov     r8, rax
        mov     rdi, rsp
%endmacro

; Restores them and drops the CPU's number.
%macro leave_stub 0
        pop     r9
        pop     r8
        pop     rdi
        pop     rsi
        pop     rbx
        pop     rcx
        pop     rdx
        pop     rax
        lea     rsp, [rsp + 8]
%endmacro

; Calls C on an aligned stack; rdi and r8 to r11 are lost, rbp is kept.
%macro call_c 1
        push    r10
        push    r11
        push    rbp
        mov     rbp, rsp
        and     rsp, -16
        sub     rsp, HOME_BYTES
        cld
        call    %1
        mov     rsp, rbp
        pop     rbp
        pop     r11
        pop     r10
%endmacro

; The system's GS for an interrupt that came from user mode, where it matters.
%macro swap_gs 1
        test    byte [rsp + FRAME_CS], 3
        jz      %%kernel
        cmp     dword [tracer_stub_swap_gs], 0
        je      %%kernel
        swapgs
        lfence
%%kernel:
%endmacro

; Supervisor mode access prevention for C that stubs call: an interrupt leaves AC as it was, and AC switches the prevention off. IRET
; brings the flag back. Not on the way to an old handler, which finds the flags as the interrupt left them.
%macro clear_ac 0
        cmp     dword [tracer_stub_clear_ac], 0
        je      %%none
        clac
%%none:
%endmacro

        thunks  tracer_stub_pit, pit
        thunks  tracer_stub_latency, latency
        thunks  tracer_stub_nmi, nmi
        thunks  tracer_stub_spurious, spurious
        thunks  tracer_stub_error, error

align 16
pit:
        enter_stub
        mov     r9d, SOURCE_PIT
        call    take_sample
        leave_stub
        jmp     [tracer_stub_pit_chain]

align 16
latency:
        enter_stub
        mov     r9d, SOURCE_LATENCY
        call    take_sample
        swap_gs in
        clear_ac
        mov     eax, [rdi + FRAME_CPU]
        mov     edx, eax
        shl     eax, CPU_BYTES_SHIFT
        lea     rbx, [tracer_stub_cpus]
        add     rbx, rax
        mov     [rbx + CPU_CLOCK], r8
        mov     rax, [rdi + FRAME_RIP]
        mov     [rbx + CPU_IP], rax
        mov     rax, [rdi + FRAME_RSP]
        mov     [rbx + CPU_SP], rax
        mov     rax, [rdi + FRAME_RFLAGS]
        mov     [rbx + CPU_FLAGS], rax
        mov     eax, [rdi + FRAME_CS]
        mov     [rbx + CPU_CS], ax
        mov     [rbx + CPU_NUMBER], dx
        mov     ARGUMENT_0D, edx
        lea     ARGUMENT_1, [rbx + CPU_CLOCK]
        call_c  tracer_on_latency_interrupt
        swap_gs out
        leave_stub
        iretq

align 16
nmi:
        enter_stub
        mov     r9d, SOURCE_NMI
        call    take_sample
        mov     ARGUMENT_0D, [rdi + FRAME_CPU]
        call_c  tracer_nmi_acknowledge
        test    eax, eax
        jz      .foreign
        leave_stub
        iretq
.foreign:
        leave_stub
        jmp     [tracer_stub_nmi_chain]

align 16
spurious:
        push    rax
        push    rbx
        mov     eax, [rsp + 16]
        shl     eax, CPU_BYTES_SHIFT
        lea     rbx, [tracer_stub_cpus]
        lock inc dword [rbx + rax + CPU_SPURIOUS]
        pop     rbx
        pop     rax
        lea     rsp, [rsp + 8]
        iretq

align 16
error:
        enter_stub
        swap_gs in
        clear_ac
        mov     ARGUMENT_0D, [rdi + FRAME_CPU]
        call_c  tracer_on_apic_error
        swap_gs out
        leave_stub
        iretq

; Writes a sample into the CPU's ring, as tracer_ring_write does. rdi = frame, r8 = TSC, r9d = source; they stay. Uses rax, rbx, rcx,
; rdx, rsi.
align 16
take_sample:
        mov     eax, [rdi + FRAME_CPU]
        shl     eax, CPU_BYTES_SHIFT
        lea     rbx, [tracer_stub_cpus]
        add     rbx, rax
        mov     rsi, [rbx + CPU_RING]
        test    rsi, rsi
        jz      .done
        mov     eax, 1
        lock xadd [rsi + RING_HEAD], eax
        mov     edx, eax
        and     edx, [rsi + RING_MASK]
        imul    rdx, rdx, SLOT_BYTES
        add     rdx, [rsi + RING_SLOTS]
        mov     esi, eax                        ; esi = position, rdx = slot
        mov     eax, [rdx + SLOT_BEGIN]
        mov     ecx, eax
        sub     ecx, esi
        test    ecx, ecx
        jg      .given_up                       ; a newer owner lapped us
        cmp     eax, [rdx + SLOT_END]
        jne     .owned
        lock cmpxchg [rdx + SLOT_BEGIN], esi
        jne     .owned

        mov     [rdx + SAMPLE_CLOCK], r8
        mov     rax, [rdi + FRAME_RIP]
        mov     [rdx + SAMPLE_IP], rax
        mov     rax, [rdi + FRAME_RFLAGS]
        mov     [rdx + SAMPLE_FLAGS], rax
        mov     [rdx + SAMPLE_BP], rbp
        mov     rax, [rdi + FRAME_RBX]
        mov     [rdx + SAMPLE_BX], rax
        mov     rax, [rdi + FRAME_RSI]
        mov     [rdx + SAMPLE_SI], rax
        mov     rax, [rdi + FRAME_RDI]
        mov     [rdx + SAMPLE_DI], rax
        mov     [rdx + SAMPLE_R12], r12
        mov     [rdx + SAMPLE_R13], r13
        mov     [rdx + SAMPLE_R14], r14
        mov     [rdx + SAMPLE_R15], r15
        mov     eax, [rdi + FRAME_CS]
        mov     [rdx + SAMPLE_CS], ax
        mov     ecx, [rdi + FRAME_CPU]
        mov     [rdx + SAMPLE_CPU], cx
        mov     [rdx + SAMPLE_SOURCE], r9b
        mov     byte [rdx + SAMPLE_WORD], 8

        ; The stack, as far as its page goes: the byte below rsp has just been written by the CPU or is of the same kind. Of an NMI's
        ; only where rsp lies in the kernel stack of the thread that runs: behind SYSCALL and before SYSRET the code is the kernel's and
        ; rsp whatever the program has put there, which need not be an address; only interrupts that can be masked stay away from there.
        xor     ecx, ecx
        test    al, 3
        mov     rax, [rdi + FRAME_RSP]
        mov     [rdx + SAMPLE_SP], rax
        jnz     .measured
        cmp     r9d, SOURCE_NMI
        jne     .kernels
        mov     rcx, [rbx + CPU_STACK_END]
        test    rcx, rcx
        jz      .measured
        mov     rcx, [rcx]
        sub     rcx, rax
        dec     rcx                             ; below the end by 1 to NMI_STACK_BYTES
        cmp     rcx, NMI_STACK_BYTES
        mov     ecx, 0
        jae     .measured
.kernels:
        cmp     rax, [tracer_stub_lowest_stack]
        jbe     .measured
        lea     rcx, [rax - 1]
        or      rcx, PAGE_MASK
        inc     rcx
        sub     rcx, rax
        and     ecx, -8
        cmp     ecx, STACK_BYTES
        jbe     .measured
        mov     ecx, STACK_BYTES
.measured:
        mov     [rdx + SAMPLE_STACK_BYTES], cx
        shr     ecx, 3
        jz      .whole
.copy:
        mov     rbx, [rax + rcx * 8 - 8]
        mov     [rdx + SAMPLE_STACK + rcx * 8 - 8], rbx
        dec     ecx
        jnz     .copy
.whole:
        mov     [rdx + SLOT_END], esi
.done:
        ret

        ; An unfinished owner below us keeps the slot; note that nobody will write this position, unless a newer owner lapped us.
.owned:
        mov     ecx, esi
        sub     ecx, [rdx + SLOT_BEGIN]
        test    ecx, ecx
        jle     .given_up
        mov     eax, [rdx + SLOT_GIVEN_UP]
        mov     ecx, esi
        sub     ecx, eax
        test    ecx, ecx
        jle     .given_up
        lock cmpxchg [rdx + SLOT_GIVEN_UP], esi
.given_up:
        lock inc dword [rbx + CPU_GIVEN_UP]
        ret

%ifidn __OUTPUT_FORMAT__, elf64
section .note.GNU-stack noalloc noexec nowrite progbits
%endif
