; Interrupt stubs for 32-bit protected mode (kdriver/core/tracer_stubs.h): nasm -f elf32 or -f win32.
;
; A gate leads to the thunk of its CPU, which pushes the CPU's number; `enter` saves the registers:
;
;   esp ->  tsc (8 bytes) ebp edi esi ebx ecx edx eax  cpu  eip cs eflags  and, if the privilege changed: esp ss
;
; All memory is reached through SS: after an interrupt from user or virtual-8086 mode it is the only segment the CPU has set.

bits 32
%include "layout.inc"

%ifidn __OUTPUT_FORMAT__, win32
%pragma win32 gprefix _
%endif

FRAME_TSC           equ 0
FRAME_EBP           equ 8
FRAME_EDI           equ 12
FRAME_ESI           equ 16
FRAME_EBX           equ 20
FRAME_CPU           equ 36
FRAME_EIP           equ 40
FRAME_CS            equ 44
FRAME_EFLAGS        equ 48
FRAME_ESP           equ 52         ; where the privilege did not change, the interrupted stack begins here
FLAG_V86            equ 1 << 17

extern tracer_on_latency_interrupt
extern tracer_on_apic_error
extern tracer_nmi_acknowledge

global tracer_stub_cpus
global tracer_stub_pit_chain
global tracer_stub_nmi_chain
global tracer_stub_lowest_stack
global tracer_stub_swap_gs
global tracer_stub_clear_ac
global tracer_stub_data_selector
global tracer_stub_fs_selector

section .data align=8
tracer_stub_lowest_stack: dd 0x80000000

section .bss align=64
tracer_stub_cpus:           resb MAX_CPUS << CPU_BYTES_SHIFT
tracer_stub_pit_chain:      resd 1
tracer_stub_nmi_chain:      resd 1
tracer_stub_swap_gs:        resd 1
tracer_stub_clear_ac:       resd 1
tracer_stub_data_selector:  resd 1
tracer_stub_fs_selector:    resd 1

section .text align=16

; Saves registers; ebp = frame.
%macro enter_stub 0
        push    eax
        push    edx
        rdtsc
        push    ecx
        push    ebx
        push    esi
        push    edi
        push    ebp
        push    edx
        push    eax
        mov     ebp, esp
%endmacro

; Restores them and drops the CPU's number.
%macro leave_stub 0
        lea     esp, [esp + 8]
        pop     ebp
        pop     edi
        pop     esi
        pop     ebx
        pop     ecx
        pop     edx
        pop     eax
        lea     esp, [esp + 4]
%endmacro

; Calls C with edx and, where there is one, ecx as arguments; ebp = frame, which C keeps. The result stays in eax.
%macro call_c 1
        push    ds
        push    es
        push    fs
        mov     eax, [ss:tracer_stub_data_selector]
        test    eax, eax
        jz      %%segments
        mov     ds, ax
        mov     es, ax
        mov     eax, [ss:tracer_stub_fs_selector]
        mov     fs, ax
%%segments:
        mov     ebx, esp
        sub     esp, 8
        and     esp, -16
        mov     [esp + 4], ecx
        mov     [esp], edx
        cld
        call    %1
        mov     esp, ebx
        pop     fs
        pop     es
        pop     ds
%endmacro

; As in stubs_x64.asm.
%macro clear_ac 0
        cmp     dword [ss:tracer_stub_clear_ac], 0
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
        mov     edi, SOURCE_PIT
        call    take_sample
        leave_stub
        jmp     [ss:tracer_stub_pit_chain]

align 16
latency:
        enter_stub
        mov     edi, SOURCE_LATENCY
        call    take_sample
        clear_ac
        mov     edx, [ebp + FRAME_CPU]
        mov     ecx, edx
        shl     ecx, CPU_BYTES_SHIFT
        add     ecx, tracer_stub_cpus + CPU_CLOCK
        mov     eax, [ebp + FRAME_TSC]
        mov     [ss:ecx], eax
        mov     eax, [ebp + FRAME_TSC + 4]
        mov     [ss:ecx + 4], eax
        mov     eax, [ebp + FRAME_EIP]
        mov     [ss:ecx + CPU_IP - CPU_CLOCK], eax
        mov     eax, [ebp + FRAME_EFLAGS]
        mov     [ss:ecx + CPU_FLAGS - CPU_CLOCK], eax
        call    interrupted_esp
        mov     [ss:ecx + CPU_SP - CPU_CLOCK], eax
        mov     eax, [ebp + FRAME_CS]
        mov     [ss:ecx + CPU_CS - CPU_CLOCK], ax
        mov     [ss:ecx + CPU_NUMBER - CPU_CLOCK], dx
        call_c  tracer_on_latency_interrupt
        leave_stub
        iretd

align 16
nmi:
        enter_stub
        mov     edi, SOURCE_NMI
        call    take_sample
        mov     edx, [ebp + FRAME_CPU]
        call_c  tracer_nmi_acknowledge
        test    eax, eax
        jz      .foreign
        leave_stub
        iretd
.foreign:
        leave_stub
        jmp     [ss:tracer_stub_nmi_chain]

align 16
spurious:
        push    eax
        mov     eax, [esp + 4]
        shl     eax, CPU_BYTES_SHIFT
        lock inc dword [ss:eax + tracer_stub_cpus + CPU_SPURIOUS]
        pop     eax
        lea     esp, [esp + 4]
        iretd

align 16
error:
        enter_stub
        clear_ac
        mov     edx, [ebp + FRAME_CPU]
        call_c  tracer_on_apic_error
        leave_stub
        iretd

; eax = the interrupted stack pointer; ZF is set where it is the kernel's.
align 16
interrupted_esp:
        test    dword [ebp + FRAME_EFLAGS], FLAG_V86
        jnz     .changed
        test    byte [ebp + FRAME_CS], 3
        jnz     .changed
        lea     eax, [ebp + FRAME_ESP]
        cmp     eax, eax
        ret
.changed:
        mov     eax, [ebp + FRAME_ESP]
        ret

; Writes a sample into the CPU's ring, as tracer_ring_write does. ebp = frame, edi = source. Uses all others.
align 16
take_sample:
        mov     ebx, [ebp + FRAME_CPU]
        shl     ebx, CPU_BYTES_SHIFT
        add     ebx, tracer_stub_cpus
        mov     esi, [ss:ebx + CPU_RING]
        test    esi, esi
        jz      .done
        mov     eax, 1
        lock xadd [ss:esi + RING_HEAD], eax
        mov     edx, eax
        and     edx, [ss:esi + RING_MASK]
        imul    edx, edx, SLOT_BYTES
        add     edx, [ss:esi + RING_SLOTS]
        mov     esi, eax                        ; esi = position, edx = slot
        mov     eax, [ss:edx + SLOT_BEGIN]
        mov     ecx, eax
        sub     ecx, esi
        test    ecx, ecx
        jg      .given_up                       ; a newer owner lapped us
        cmp     eax, [ss:edx + SLOT_END]
        jne     .owned
        lock cmpxchg [ss:edx + SLOT_BEGIN], esi
        jne     .owned

%macro keep 2                                   ; a word of the frame, extended to 64 bits
        mov     eax, [ebp + %2]
        mov     [ss:edx + %1], eax
        mov     dword [ss:edx + %1 + 4], 0
%endmacro
        mov     eax, [ebp + FRAME_TSC]
        mov     [ss:edx + SAMPLE_CLOCK], eax
        mov     eax, [ebp + FRAME_TSC + 4]
        mov     [ss:edx + SAMPLE_CLOCK + 4], eax
        keep    SAMPLE_IP, FRAME_EIP
        keep    SAMPLE_FLAGS, FRAME_EFLAGS
        keep    SAMPLE_BP, FRAME_EBP
        keep    SAMPLE_BX, FRAME_EBX
        keep    SAMPLE_SI, FRAME_ESI
        keep    SAMPLE_DI, FRAME_EDI
        mov     ecx, 8
.no_such_registers:
        mov     dword [ss:edx + SAMPLE_R12 + ecx * 4 - 4], 0
        dec     ecx
        jnz     .no_such_registers
        mov     eax, [ebp + FRAME_CS]
        mov     [ss:edx + SAMPLE_CS], ax
        mov     eax, [ebp + FRAME_CPU]
        mov     [ss:edx + SAMPLE_CPU], ax
        mov     eax, edi
        mov     [ss:edx + SAMPLE_SOURCE], al
        mov     byte [ss:edx + SAMPLE_WORD], 4

        ; The stack, as far as its page goes.
        xor     ecx, ecx
        call    interrupted_esp
        mov     [ss:edx + SAMPLE_SP], eax
        mov     dword [ss:edx + SAMPLE_SP + 4], 0
        jnz     .measured
        cmp     eax, [ss:tracer_stub_lowest_stack]
        jbe     .measured
        lea     ecx, [eax - 1]
        or      ecx, PAGE_MASK
        inc     ecx
        sub     ecx, eax
        and     ecx, -4
        cmp     ecx, STACK_BYTES
        jbe     .measured
        mov     ecx, STACK_BYTES
.measured:
        mov     [ss:edx + SAMPLE_STACK_BYTES], cx
        shr     ecx, 2
        jz      .whole
.copy:
        mov     ebx, [ss:eax + ecx * 4 - 4]
        mov     [ss:edx + SAMPLE_STACK + ecx * 4 - 4], ebx
        dec     ecx
        jnz     .copy
.whole:
        mov     [ss:edx + SLOT_END], esi
.done:
        ret

        ; An unfinished owner below us keeps the slot; note that nobody will write this position, unless a newer owner lapped us.
.owned:
        mov     ecx, esi
        sub     ecx, [ss:edx + SLOT_BEGIN]
        test    ecx, ecx
        jle     .given_up
        mov     eax, [ss:edx + SLOT_GIVEN_UP]
        mov     ecx, esi
        sub     ecx, eax
        test    ecx, ecx
        jle     .given_up
        lock cmpxchg [ss:edx + SLOT_GIVEN_UP], esi
.given_up:
        lock inc dword [ss:ebx + CPU_GIVEN_UP]
        ret

%ifidn __OUTPUT_FORMAT__, elf32
section .note.GNU-stack noalloc noexec nowrite progbits
%endif
