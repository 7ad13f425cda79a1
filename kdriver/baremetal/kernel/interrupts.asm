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

FRAME_CS            equ 16             ; behind the vector
PROCESSOR_STACK     equ 8              ; struct ki_processor
PROCESSOR_USER      equ 16

extern KiInterrupt
extern KiServeCall
extern PspSystemThreadStartup

section .data align=4
global ki_window_rounds
ki_window_rounds:       dd 1

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
        clac
        test    byte [rsp + FRAME_CS], 3
        jz      .from_kernel
        swapgs
.from_kernel:
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
        test    byte [rsp + FRAME_CS], 3
        jz      .to_kernel
        swapgs
.to_kernel:
        lea     rsp, [rsp + 8]
        iretq

; Where SYSCALL enters, interrupts off: rcx = where the program goes on, r11 = its flags, rdx = what it asks. The stack pointer and GS are
; the program's, for some rounds longer than it takes: only an NMI can come here. rax, rcx, rdx and r8 to r11 are lost.
global KiSystemCall64
global ki_window_begin
global ki_window_end
align 16
KiSystemCall64:
ki_window_begin:
        mov     eax, [ki_window_rounds]
.window:
        test    al, 63
        jnz     .go_on
        pause                           ; QEMU gives other CPUs their turn then: CPU 0's NMI goes to this one, too
.go_on:
        dec     eax
        jnz     .window
        swapgs
        mov     [gs:PROCESSOR_USER], rsp
ki_window_end:
        mov     rsp, [gs:PROCESSOR_STACK]
        push    qword [gs:PROCESSOR_USER]
        push    rcx
        push    r11
        sub     rsp, HOME_BYTES + 8
        sti
        mov     rcx, rdx
        call    KiServeCall
        cli
        add     rsp, HOME_BYTES + 8
        pop     r11
        pop     rcx
        pop     rsp
        swapgs
        o64 sysret

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
        cli
        swapgs
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
