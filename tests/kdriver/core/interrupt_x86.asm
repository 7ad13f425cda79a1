; interrupt_x64.asm for 32-bit code: the frame has no stack pointer, the interrupted stack lies right above it.

bits 32

; struct interrupt_state: ax cx dx bx sp bp si di, 8 unused, ip, cs, flags, ss, all of 4 bytes
STATE_IP            equ 16 * 4
STATE_CS            equ 17 * 4
STATE_FLAGS         equ 18 * 4

global enter_stub_at
global interrupt_landing
global interrupt_return
global interrupt_after
global interrupt_kept_sp

section .bss align=16
interrupt_after:    resd 20
interrupt_kept_sp:  resd 1

section .text

; void enter_stub_at(const void *thunk, const struct interrupt_state *before)
enter_stub_at:
        mov     eax, [esp + 4]
        mov     edx, [esp + 8]
        push    ebx
        push    ebp
        push    esi
        push    edi
        mov     [interrupt_kept_sp], esp
        push    dword [edx + STATE_FLAGS]
        push    dword [edx + STATE_CS]
        push    dword [edx + STATE_IP]
        push    eax
        mov     eax, [edx]
        mov     ecx, [edx + 1 * 4]
        mov     ebx, [edx + 3 * 4]
        mov     ebp, [edx + 5 * 4]
        mov     esi, [edx + 6 * 4]
        mov     edi, [edx + 7 * 4]
        mov     edx, [edx + 2 * 4]
        ret

%macro keep_registers 0
        mov     [interrupt_after], eax
        mov     [interrupt_after + 1 * 4], ecx
        mov     [interrupt_after + 2 * 4], edx
        mov     [interrupt_after + 3 * 4], ebx
        mov     [interrupt_after + 5 * 4], ebp
        mov     [interrupt_after + 6 * 4], esi
        mov     [interrupt_after + 7 * 4], edi
%endmacro

interrupt_landing:
        keep_registers
        pop     dword [interrupt_after + STATE_IP]
        pop     dword [interrupt_after + STATE_CS]
        pop     dword [interrupt_after + STATE_FLAGS]
        mov     [interrupt_after + 4 * 4], esp
        jmp     back

interrupt_return:
        keep_registers
        mov     [interrupt_after + 4 * 4], esp
        pushfd
        pop     dword [interrupt_after + STATE_FLAGS]
back:
        mov     esp, [interrupt_kept_sp]
        pop     edi
        pop     esi
        pop     ebp
        pop     ebx
        ret

section .note.GNU-stack noalloc noexec nowrite progbits
