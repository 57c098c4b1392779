//! What functions mean whose bodies are not in the text.
//!
//! Some are known: those of the verification competitions, those that end the run, and those that only write a text. Of
//! the others, a function of the library, or of the compiler, does and gives what its manual says, so that it is not
//! supported; whatever the program itself declares gives any value and changes nothing. A function is one of
//! the library if a header of the system declares it. Names matter where headers are not there to be asked:
//! in texts that were preprocessed without leaving a mark, and in programs that declare `malloc` by
//! themselves.

use super::headers::Widths;
use super::types::IntType;

/// What a function means whose body is not in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// It does not return.
    Stops,
    /// The run goes on only if the argument is not 0.
    Assume,
    /// The argument must not be 0, or `__assert_fail` is called.
    Assert,
    /// It does nothing that can be seen: it writes a text, or puts off what follows. Its result is not known. The
    /// argument with this number says in which format the rest is written.
    Prints(Option<usize>),
    /// It gives a value of this type from outside.
    Input(IntType),
    /// The argument itself.
    Same,
}

/// The meaning of a function that the text does not define.
pub(super) fn known(name: &str, widths: &Widths) -> Option<Known> {
    Some(match name {
        "abort"
        | "exit"
        | "_exit"
        | "_Exit"
        | "quick_exit"
        | "__assert_fail"
        | "__assert"
        | "reach_error"
        | "__VERIFIER_error"
        | "__builtin_unreachable"
        | "__builtin_trap"
        | "__builtin_abort" => Known::Stops,
        "__VERIFIER_assume" | "assume_abort_if_not" | "__CPROVER_assume" => Known::Assume,
        "assert" | "__VERIFIER_assert" => Known::Assert,
        "printf" => Known::Prints(Some(0)),
        "fprintf" | "dprintf" => Known::Prints(Some(1)),
        "puts"
        | "putchar"
        | "putc"
        | "fputc"
        | "fputs"
        | "perror"
        | "fflush"
        | "srand"
        | "srandom"
        | "sleep"
        | "usleep"
        | "sched_yield"
        | "__VERIFIER_atomic_begin"
        | "__VERIFIER_atomic_end" => Known::Prints(None),
        "__builtin_expect" => Known::Same,
        _ => {
            let name = name.strip_prefix("__VERIFIER_").unwrap_or(name);
            Known::Input(input_type(name.strip_prefix("nondet_")?, widths)?)
        }
    })
}

/// Functions of the C library (C11, Annex B), by header; then those of POSIX and of Unix that programs use most.
const LIBRARY: &[&str] = &[
    "isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper",
    "feclearexcept fegetexceptflag feraiseexcept fesetexceptflag fetestexcept fegetround fesetround fegetenv \
     feholdexcept fesetenv feupdateenv feenableexcept fedisableexcept",
    "imaxabs imaxdiv strtoimax strtoumax wcstoimax wcstoumax setlocale localeconv",
    "acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log log10 log1p \
     log2 logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor nearbyint rint lrint \
     llrint round lround llround trunc fmod remainder remquo copysign nan nextafter nexttoward fdim fmax fmin fma",
    "acosf asinf atanf atan2f cosf sinf tanf coshf sinhf tanhf expf exp2f frexpf ldexpf logf log10f log2f modff cbrtf \
     fabsf hypotf powf sqrtf ceilf floorf nearbyintf rintf lrintf llrintf roundf lroundf llroundf truncf fmodf \
     remainderf copysignf nanf nextafterf fdimf fmaxf fminf fmaf fabsl sqrtl powl floorl ceill truncl roundl fmodl",
    "fpclassify isfinite isinf isnan isnormal signbit isgreater isgreaterequal isless islessequal islessgreater \
     isunordered finite drem gamma significand",
    "setjmp _setjmp sigsetjmp __sigsetjmp longjmp _longjmp siglongjmp signal raise",
    "remove rename tmpfile tmpnam fclose fflush fopen freopen setbuf setvbuf fprintf fscanf printf scanf snprintf \
     sprintf sscanf vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf fgetc fgets fputc fputs getc getchar \
     gets putc putchar puts ungetc fread fwrite fgetpos fseek fsetpos ftell rewind clearerr feof ferror perror",
    "atof atoi atol atoll strtod strtof strtold strtol strtoll strtoul strtoull rand srand aligned_alloc calloc free \
     malloc realloc atexit at_quick_exit getenv system bsearch qsort abs labs llabs div ldiv lldiv mblen mbtowc wctomb \
     mbstowcs wcstombs",
    "memcpy memmove strcpy strncpy strcat strncat memcmp strcmp strcoll strncmp strxfrm memchr strchr strcspn strpbrk \
     strrchr strspn strstr strtok memset strerror strlen",
    "clock difftime mktime time timespec_get asctime ctime gmtime localtime strftime call_once",
    "fgetwc fgetws fputwc fputws fwide getwc getwchar putwc putwchar ungetwc wprintf fwprintf swprintf wscanf wcscpy \
     wcsncpy wcscat wcscmp wcsncmp wcslen wcschr wcsrchr wcsstr wcstol wcstoul wcstod wmemcpy wmemmove wmemcmp wmemset \
     btowc wctob mbrlen mbrtowc wcrtomb iswalpha iswdigit iswspace iswalnum towlower towupper",
    "access alarm brk chdir chmod chown close confstr creat dup dup2 execl execle execlp execv execve execvp fcntl fork \
     fsync ftruncate getcwd getegid geteuid getgid getgroups gethostname getlogin getopt getopt_long getpgid getpid \
     getppid getsid gettid getuid ioctl isatty kill killpg link lseek mkdir mkfifo mknod mmap mprotect munmap nice open \
     pathconf pause pipe pread pwrite read readlink rmdir sbrk setgid setpgid setsid setuid sleep stat fstat lstat \
     symlink sync sysconf truncate ttyname umask unlink usleep vfork wait waitpid write select poll",
    "accept bind connect listen recv recvfrom send sendto setsockopt getsockopt shutdown socket socketpair htonl htons \
     ntohl ntohs getrlimit setrlimit getrusage times uname sigaction sigaddset sigdelset sigemptyset sigfillset \
     sigismember sigpending sigprocmask sigsuspend sigwait",
    "a64l drand48 erand48 initstate jrand48 l64a lcong48 lrand48 mkstemp mktemp mrand48 nrand48 posix_memalign putenv \
     rand_r random realpath seed48 setenv setstate srand48 srandom unsetenv arc4random getrandom alloca valloc",
    "clock_gettime clock_getres clock_settime clock_nanosleep nanosleep gettimeofday localtime_r gmtime_r strptime tzset",
    "strdup strndup strnlen strtok_r strsignal strsep memccpy mempcpy stpcpy strcasecmp strncasecmp ffs ffsl ffsll bzero \
     bcopy bcmp index rindex strlcpy strlcat",
    "fdopen fileno popen pclose getline getdelim dprintf asprintf vasprintf fmemopen getw putw ctermid",
    "dlopen dlsym dlclose syslog openlog closelog err errx verr verrx warn warnx error basename dirname va_start va_end \
     va_arg va_copy",
];

/// The name is one of the library, or of the compiler.
pub(super) fn is_library(name: &str) -> bool {
    const PREFIXES: [&str; 10] =
        ["__builtin_", "__sync_", "__atomic_", "atomic_", "pthread_", "thrd_", "mtx_", "cnd_", "tss_", "sem_"];
    let is_named = LIBRARY.iter().flat_map(|names| names.split_ascii_whitespace()).any(|known| known == name);
    let is_prefixed = PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    is_named || is_prefixed || name.starts_with("__VERIFIER_") && !name.contains("nondet")
}

/// The type that `__VERIFIER_nondet_X` gives, where nothing declares it.
fn input_type(name: &str, widths: &Widths) -> Option<IntType> {
    Some(match name {
        "bool" | "_Bool" => IntType::BOOL,
        "char" | "schar" => IntType::signed(widths.char),
        "uchar" | "unsigned_char" | "u8" => IntType::unsigned(widths.char),
        "short" => IntType::signed(widths.short),
        "ushort" | "u16" => IntType::unsigned(widths.short),
        "int" => IntType::signed(widths.int),
        "uint" | "unsigned" | "u32" => IntType::unsigned(widths.int),
        "long" | "loff_t" => IntType::signed(widths.long),
        "ulong" | "size_t" | "sector_t" => IntType::unsigned(widths.long),
        "longlong" => IntType::signed(widths.long_long),
        "ulonglong" => IntType::unsigned(widths.long_long),
        _ => return None,
    })
}
