// Names of every kind that clang can make: the tests compile this file for Windows and compare what the demangler says of each
// symbol with what the reference tool says. Nothing here runs and no header is needed.
using size_type = decltype(sizeof(0));
void *operator new(size_type, void *place) noexcept;
namespace std {
using size_t = ::size_type;
class type_info {
      public:
	virtual ~type_info();
	const char *name;
};
enum class align_val_t : size_type {};
struct strong_ordering {
	int value;
};
template <class T> class initializer_list {
	const T *first;
	size_type count;
};
template <class T, class... A> struct coroutine_traits {
	using promise_type = typename T::promise_type;
};
template <class P = void> struct coroutine_handle {
	static coroutine_handle from_address(void *) noexcept { return {}; }
	static coroutine_handle from_promise(P &) noexcept { return {}; }
	void *address() const noexcept { return nullptr; }
};
struct suspend_never {
	bool await_ready() const noexcept { return true; }
	template <class H> void await_suspend(H) const noexcept {}
	void await_resume() const noexcept {}
};
template <class T> struct allocator {};
template <class T> struct char_traits {};
template <class T, class R = char_traits<T>, class A = allocator<T>> class basic_string {
      public:
	basic_string();
	~basic_string();
	basic_string &append(const basic_string &);
	T *data;
};
using string = basic_string<char>;
template <class T, class A = allocator<T>> struct vector {
	T *begin() const { return nullptr; }
	vector(const vector &);
	vector(vector &&) noexcept;
};
template <class T> struct tuple_size;
template <size_type I, class T> struct tuple_element;
} // namespace std

void sink(const void *);

// Plain types, and everything that can be made of them.
struct Struct {
	int a;
	double b;
};
class Class {
      public:
	int f();
};
union Union {
	int a;
	float b;
};
enum Enum { EnumA, EnumB };
enum class Scoped : unsigned short { A, B };
struct under_ {
	int x;
};
namespace {
struct Hidden {
	int x;
};
} // namespace
namespace outer {
inline namespace v1 {
namespace deep {
template <class T> struct Box {
	struct Inner {
		T x;
	};
};
} // namespace deep
} // namespace v1
} // namespace outer

template <class T> struct Probe {
	Probe();
	explicit Probe(T *);
	Probe(const Probe &);
	Probe(Probe &&) noexcept;
	virtual ~Probe();
	Probe &operator=(const Probe &) { return *this; }
	bool operator==(const Probe &) const { return true; }
	std::strong_ordering operator<=>(const Probe &) const { return {0}; }
	T *operator->() const { return nullptr; }
	T &operator*() & { return *value; }
	T &&operator*() && { return static_cast<T &&>(*value); }
	const T &operator[](int) const & { return *value; }
	Probe operator++(int) { return *this; }
	Probe &operator++() { return *this; }
	operator T *() const { return value; }
	explicit operator bool() const volatile { return true; }
	template <class U> operator U() { return U(); }
	template <class U> operator Probe<U> *() { return nullptr; }
	void *operator new(size_type) { return nullptr; }
	void operator delete(void *) {}
	void *operator new[](size_type) { return nullptr; }
	void operator delete[](void *) {}
	void plain(T *, T &, const T &, T *const *, volatile T *) {}
	void twice(T *a, T *b, Probe<T> *c, Probe<T> d) {}
	void callback(void (*)(T *), T &(*)(const T *, int), int (Struct::*)(T *) const) {}
	static void shared(T (&)[3], T (*)[4][5], const T (&)[2]) {}
	virtual void over(T *) const {}
	virtual Probe *covariant() { return this; }
	void fails() noexcept {}
	template <class U> auto deduced(U *u) -> decltype(u + 1) { return u; }
	template <int N> int numbered() {
		static int local = sizeof(T) * N;
		return ++local;
	}
	template <class... U> void many(U *...) {}
	template <template <class> class X> X<T> *wrap() { return nullptr; }
	auto lambda() {
		return [this](T *p) { return [p, this] { return p + 1; }; };
	}
	auto generic() {
		return [](auto *p, auto... rest) { return sizeof...(rest); };
	}
	static T *pointer;
	static const int constant;
	T *value;
	enum Kind { One, Two };
	Kind kind(Kind k) { return k; }
	struct Nested {
		T *x;
		Nested();
		void in(Nested *) {}
	};
	friend bool operator<(const Probe &, const Probe &) { return false; }
};
template <class T> Probe<T>::Probe() : value(nullptr) {
	Nested n;
	n.in(&n);
	many<T, int, Probe<T>>(nullptr, nullptr, nullptr);
	many<>();
	wrap<Probe>();
	wrap<outer::deep::Box>();
	deduced((char *)nullptr);
	numbered<7>();
	numbered<-7>();
	lambda()(nullptr)();
	generic()(this, 1, 'c', this);
	int (Probe::*kept)(int) = nullptr;
	(void)kept;
	(void)static_cast<long>(*this);
	(void)static_cast<Struct>(*this);
	(void)static_cast<Probe<short> *>(*this);
}
template <class T> Probe<T>::Probe(T *p) : value(p) {}
template <class T> Probe<T>::Probe(const Probe &o) : value(o.value) {}
template <class T> Probe<T>::Probe(Probe &&o) noexcept : value(o.value) {}
template <class T> Probe<T>::~Probe() {}
template <class T> Probe<T>::Nested::Nested() : x(nullptr) {}
template <class T> T *Probe<T>::pointer = nullptr;
template <class T> const int Probe<T>::constant = sizeof(T *);
template struct Probe<char>;
template struct Probe<signed char>;
template struct Probe<unsigned char>;
template struct Probe<short>;
template struct Probe<unsigned short>;
template struct Probe<int>;
template struct Probe<unsigned>;
template struct Probe<long>;
template struct Probe<unsigned long>;
template struct Probe<long long>;
template struct Probe<unsigned long long>;
template struct Probe<bool>;
template struct Probe<wchar_t>;
template struct Probe<char8_t>;
template struct Probe<char16_t>;
template struct Probe<char32_t>;
template struct Probe<float>;
template struct Probe<double>;
template struct Probe<long double>;
template struct Probe<int *>;
template struct Probe<void *>;
template struct Probe<int *const *>;
template struct Probe<const char *>;
template struct Probe<volatile int *>;
template struct Probe<decltype(nullptr)>;
template struct Probe<Struct>;
template struct Probe<Class *>;
template struct Probe<Union>;
template struct Probe<Enum>;
template struct Probe<Scoped>;
template struct Probe<Hidden>;
template struct Probe<under_>;
template struct Probe<outer::deep::Box<int>>;
template struct Probe<outer::deep::Box<outer::deep::Box<Class>>::Inner>;
template struct Probe<void (*)()>;
template struct Probe<int (*)(int, ...)>;
template struct Probe<void (*)(int) noexcept>;
template struct Probe<int Struct::*>;
template struct Probe<int (Class::*)()>;
template struct Probe<void (Class::*)(Class) const>;
template struct Probe<int (*)[3]>;
template struct Probe<int (*(*)(long))[2]>;
template struct Probe<void (*(*)(void (*)()))()>;
template struct Probe<std::string>;
template struct Probe<std::vector<std::string> *>;
template struct Probe<Probe<int>>;
template struct Probe<const Struct *volatile *>;
template struct Probe<std::vector<std::vector<int>> *>;

// Template arguments that are values.
template <auto V> void value() {}
template <int N, bool B, char C> struct Values {
	static void f() {}
};
int object;
struct Object {
	int field;
	void method();
	virtual void polymorphic();
	static int shared;
};
template <int *P> void byPointer() {}
template <int &R> void byReference() {}
template <int Object::*M> void byField() {}
template <void (Object::*M)()> void byMethod() {}
template <void (*F)(int)> void byFunction() {}
template <Scoped S> void byEnum() {}
template <decltype(nullptr) N> void byNull() {}
template <int... N> void byMany() {}
template <class... T> void byTypes() {}
template <template <class...> class... X> void byTemplates() {}
template <class A, class... B> struct Pair {
	template <class... C> void f() {}
};
void target(int);
void values() {
	value<1>();
	value<-1>();
	value<'a'>();
	value<true>();
	value<&object>();
	value<&Object::field>();
	value<&Object::method>();
	value<Scoped::B>();
	value<EnumB>();
	value<nullptr>();
	value<target>();
	value<123456789012345ull>();
	value<static_cast<short>(-5)>();
	Values<0, false, 'x'>::f();
	Values<2147483647, true, '\n'>::f();
	Values<-2147483647 - 1, true, 0>::f();
	byPointer<&object>();
	byPointer<nullptr>();
	byReference<object>();
	byReference<Object::shared>();
	byField<&Object::field>();
	byField<nullptr>();
	byMethod<&Object::method>();
	byMethod<&Object::polymorphic>();
	byMethod<nullptr>();
	byFunction<target>();
	byEnum<Scoped::A>();
	byNull<nullptr>();
	byMany<>();
	byMany<1, 2, -3>();
	byTypes<>();
	byTypes<int, Struct *, Pair<int>>();
	byTemplates<>();
	byTemplates<Pair, std::vector>();
	Pair<int>().f<>();
	Pair<int, char, Struct>().f<long, Enum>();
	Pair<Pair<int>, Pair<char, Pair<int>>>().f<Pair<bool> *>();
}

// Dependent expressions in signatures: only Linux names show them.
template <int N> struct Int {};
template <class T> Int<sizeof(T) + 1> expression1(T) { return {}; }
template <class T, int N> Int<(N > 2 ? N * 2 : -N)> expression2(T) { return {}; }
template <class T> auto expression3(T t) -> decltype(t.x + t->y) { return {}; }
template <class T> auto expression4(T t) -> decltype(static_cast<int>(t) << 2, !t, ~t, t++, --t) { return t; }
template <class... T> auto expression5(T... t) -> decltype((t + ...)) { return (t + ...); }
template <class... T> Int<sizeof...(T)> expression6(T...) { return {}; }
template <class T> auto expression7(T t) noexcept(noexcept(t())) -> decltype(t(1, 2)) { return t(1, 2); }
template <class T> auto expression8(T t) -> decltype(new T(t), delete &t, t ? t : t, t[0]) { return t[0]; }
template <class T> auto expression9(T *t) -> decltype(T::make(), t->~T(), T{1, 2}, ::sink(t), T()) { return {}; }
template <class T, class = typename T::type> void expression10(T) {}
template <class T> auto expression11(T t) -> Int<(alignof(T) & 3) | (sizeof(t) >> 1)> { return {}; }
template <class... T> auto expression12(T... t) -> decltype((... && t), (0 + ... + t), (t * ... * 1)) { return 1; }
template <class T, T V> struct Constant {
	static constexpr T value = V;
};
template <bool B, class T = void> struct If {
	using type = T;
};
template <class T> typename If<(sizeof(T) > 1)>::type expression13(T) {}
template <class T> typename If<Constant<bool, sizeof(T) == 1>::value, T>::type expression14(T t) { return t; }
template <class T> void expression15(T (&)[sizeof(T) * 2], decltype(T() + 1) (*)(T)) {}
struct Made {
	int x, y;
	Made *operator->() { return this; }
	static int make();
	using type = int;
};
void expressions() {
	expression1(1);
	expression2<char, 3>('c');
	expression4(5);
	expression5(1, 2, 3);
	expression6(1, 'c', nullptr);
	expression7([](auto...) { return 1; });
	expression10(Made());
	expression11(3);
	expression12(1, 2);
	expression13(1);
	expression14('c');
	int many[8];
	expression15<int>(many, nullptr);
	int *p = many;
	expression8(p);
	expression9((Made *)nullptr);
}

// Inheritance: vtables, thunks, RTTI, virtual bases.
struct Base {
	virtual ~Base();
	virtual Base *clone();
	virtual void f(int);
	int b;
};
struct Second {
	virtual ~Second();
	virtual Second *other();
	virtual void g();
	int s;
};
struct Derived : Base, Second {
	~Derived() override;
	Derived *clone() override;
	Derived *other() override;
	void g() override;
};
struct Virtual : virtual Base {
	~Virtual() override;
	Virtual *clone() override;
	void f(int) override;
	int v;
};
struct Diamond : Virtual, virtual Second {
	~Diamond() override;
	Diamond *clone() override;
	void f(int) override;
	void g() override;
};
struct Most final : Diamond, Derived {
	Most();
	~Most() override;
	Most *clone() override;
	void g() override;
	void f(int) override;
	Derived *other() override;
};
Base::~Base() {}
Base *Base::clone() { return this; }
void Base::f(int) {}
Second::~Second() {}
Second *Second::other() { return this; }
void Second::g() {}
Derived::~Derived() {}
Derived *Derived::clone() { return this; }
Derived *Derived::other() { return this; }
void Derived::g() {}
Virtual::~Virtual() {}
Virtual *Virtual::clone() { return this; }
void Virtual::f(int) {}
Diamond::~Diamond() {}
Diamond *Diamond::clone() { return this; }
void Diamond::f(int) {}
void Diamond::g() {}
Most::Most() {}
Most::~Most() {}
Most *Most::clone() { return this; }
void Most::g() {}
void Most::f(int) {}
Derived *Most::other() { return this; }
const std::type_info *info(Base *b) {
	sink(dynamic_cast<Derived *>(b));
	sink(&typeid(int));
	sink(&typeid(Probe<int> *));
	return &typeid(*b);
}
void (Base::*virtualCall)(int) = &Base::f;
void (Second::*virtualCall2)() = &Second::g;
Base *(Base::*virtualCall3)() = &Base::clone;
namespace {
struct HiddenBase {
	virtual ~HiddenBase() {}
	virtual void f() {}
};
struct HiddenDerived : HiddenBase, Probe<Hidden> {
	void f() override {}
};
} // namespace
Base *makeArray() { return new Diamond[3]; }
void useHidden() {
	HiddenDerived d;
	d.f();
	auto l = [&d](HiddenBase *b) { return b == &d; };
	l(&d);
}

// Locals: statics, their guards and initializers, types and lambdas inside functions, string literals.
int compute();
struct WithDtor {
	WithDtor(int);
	~WithDtor();
	int x;
};
WithDtor global(1);
static WithDtor internal(2);
thread_local WithDtor threaded(3);
inline WithDtor inlined(4);
int dynamic = compute();
template <class T> WithDtor variable(sizeof(T));
template <class T> struct HasStatic {
	static WithDtor member;
};
template <class T> WithDtor HasStatic<T>::member(5);
namespace scope {
WithDtor inside(6);
const int constant = compute();
namespace {
WithDtor hidden(7);
}
} // namespace scope
inline int &locals(int which) {
	static int plain = compute();
	static WithDtor one(1);
	static thread_local WithDtor two(2);
	static const WithDtor *three = new WithDtor(3);
	struct Local {
		int f(int x) {
			static int deep = compute();
			struct Deeper {
				void g() { sink(&deep); }
			} d;
			d.g();
			return deep + x;
		}
	} l;
	l.f(which);
	enum { Unnamed };
	auto e = Unnamed;
	auto lambda = [&](auto x, auto y) {
		static int inLambda = compute();
		return inLambda + x;
	};
	lambda(1, Unnamed);
	lambda('c', e);
	{
		static int plain = compute();
		sink(&plain);
	}
	sink(three);
	sink(&two);
	sink(&one);
	return plain;
}
template <class T> T *inTemplate(T *p) {
	static T *kept = p;
	struct L {
		T t;
		static void f(L *) {}
	};
	L::f(nullptr);
	return [](T *q) { return q; }(kept);
}
void useLocals() {
	sink(&variable<int>);
	sink(&variable<Struct>);
	sink(&HasStatic<char>::member);
	sink(&threaded);
	inTemplate((int *)nullptr);
	inTemplate((Class *)nullptr);
	locals(1);
}
auto initialized = [](int x) { return [x](auto y) { return x + y; }; };
int useInitialized() {
	return initialized(1)(2) + initialized(2)('c') + [] { return 4; }();
}
struct DefaultMember {
	int x = [] { return compute(); }();
	int f(int y = [] { return 3; }()) { return y; }
};
int useDefault() { return DefaultMember().f(); }
const void *literals(int i) {
	switch (i) {
	case 0:
		return "plain";
	case 1:
		return "quote \" back \\ line \n tab \t bell \a";
	case 2:
		return L"wide";
	case 3:
		return u"sixteen";
	case 4:
		return U"thirty";
	case 5:
		return u8"eight \xc3\xa4";
	case 6:
		return "";
	case 7:
		return "a very long literal, longer than what the name of a literal holds of it";
	case 8:
		return L"a very long literal, longer than what the name of a literal holds of it";
	case 9:
		return "zero \0 inside";
	case 10:
		return "?$@'`,./:-<>";
	case 11:
		return "\xff\xfe\x80\x01";
	case 12:
		return L"\x4f60\x597d";
	case 13:
		return u"a sixteen bit literal, which is also very long";
	default:
		return U"and one of thirty two";
	}
}

// Function types and conventions, references, arrays, varargs, attributes.
void many(int, ...);
void restricted(int *__restrict, char *__restrict const);
void arrays(int[3], int (&)[3], int (*)[3][4], const int (*)[2]);
void many(int, ...) {}
void restricted(int *__restrict, char *__restrict const) {}
void arrays(int[3], int (&)[3], int (*)[3][4], const int (*)[2]) {}
int (*returnsFunction(int))(char) { return nullptr; }
int (&returnsArray())[4] {
	static int a[4];
	return a;
}
int (*(*both())(int))[5] { return nullptr; }
const Struct constResult() { return {}; }
const int *const constPointer() { return nullptr; }
void (Class::*returnsMember())(int) const { return nullptr; }
auto trailing(int x) -> long { return x; }
auto deduced() { return 1.5; }
decltype(auto) deduced2() { return (object); }
struct Ref {
	void l() &;
	void r() &&;
	void cl() const &;
	void cr() const &&;
	void v() volatile;
	void cv() const volatile;
	void n() noexcept;
	void cn() const noexcept;
};
void Ref::l() & {}
void Ref::r() && {}
void Ref::cl() const & {}
void Ref::cr() const && {}
void Ref::v() volatile {}
void Ref::cv() const volatile {}
void Ref::n() noexcept {}
void Ref::cn() const noexcept {}
int (*pointerToFunction)(int) = nullptr;
int (Class::*pointerToMethod)() = nullptr;
int Struct::*pointerToField = nullptr;
int (*tableOfFunctions[3])(int) = {};
void (*const constFunction)(int) = target;
extern void (*const *const deepConst)(int);
void (*const *const deepConst)(int) = nullptr;
extern const int externConst;
const int externConst = 1;
extern volatile Struct volatileStruct;
volatile Struct volatileStruct;
const char *const strings[] = {"a", "b"};
int matrix[2][3];
extern const char *const *const *deepPointer;
const char *const *const *deepPointer;
int &reference = object;
int &&rvalue = 5;
const int &constReference = 6;
extern "C" {
void inC(int) {}
int variableInC;
namespace cspace {
void insideC() {}
} // namespace cspace
}
void functions(void(int), int (Class::*)(), int Struct::*, void (*)(...), void (*&)(int), int (*const)(int), decltype(nullptr),
	       int &&, const volatile void *) {}
void operators() {}
Struct operator+(Struct a, Struct) { return a; }
Struct operator-(Struct a) { return a; }
bool operator!(Struct) { return false; }
Struct operator,(Struct a, Struct) { return a; }
bool operator&&(Struct, Struct) { return true; }
bool operator||(Struct, Struct) { return true; }
Struct &operator+=(Struct &a, int) { return a; }
Struct &operator-=(Struct &a, int) { return a; }
Struct &operator*=(Struct &a, int) { return a; }
Struct &operator/=(Struct &a, int) { return a; }
Struct &operator%=(Struct &a, int) { return a; }
Struct &operator^=(Struct &a, int) { return a; }
Struct &operator&=(Struct &a, int) { return a; }
Struct &operator|=(Struct &a, int) { return a; }
Struct &operator<<=(Struct &a, int) { return a; }
Struct &operator>>=(Struct &a, int) { return a; }
Struct operator<<(Struct a, int) { return a; }
Struct operator>>(Struct a, int) { return a; }
Struct operator^(Struct a, int) { return a; }
Struct operator|(Struct a, int) { return a; }
Struct operator&(Struct a, int) { return a; }
Struct operator%(Struct a, int) { return a; }
Struct operator/(Struct a, int) { return a; }
Struct operator*(Struct a, int) { return a; }
Struct operator~(Struct a) { return a; }
bool operator<(Struct, int) { return 1; }
bool operator>(Struct, int) { return 1; }
bool operator<=(Struct, int) { return 1; }
bool operator>=(Struct, int) { return 1; }
bool operator!=(Struct, int) { return 1; }
Struct operator->*(Struct a, int) { return a; }
Struct operator--(Struct &a, int) { return a; }
Struct &operator--(Struct &a) { return a; }
struct Callable {
	void operator()() const {}
	void operator()(int, ...) {}
} callable;
long double operator""_deg(long double x) { return x; }
int operator""_text(const char *, size_type) { return 1; }
template <char... C> int operator""_chars() { return sizeof...(C); }
int useChars() { return 12_chars; }
template <class T> bool operator==(const Pair<T> &, const Pair<T> &) { return true; }
bool useEquals() { return Pair<int>() == Pair<int>(); }
struct [[gnu::abi_tag("tagged")]] Tagged {
	void f();
};
void Tagged::f() {}
struct Unnamed {
	struct {
		int x;
		void f() {}
	} member;
	union {
		int y;
	};
} unnamed;
typedef struct {
	int x;
} NamedByTypedef;
void useTypedef(NamedByTypedef, decltype(unnamed.member) *) { unnamed.member.f(); }
struct {
	int x;
	int f() { return x; }
} anonymousObject;
int useAnonymous() { return anonymousObject.f(); }
typedef int Vector4 __attribute__((vector_size(16)));
void vectors(Vector4, Vector4 *) {}
void bits(_BitInt(7), unsigned _BitInt(33)) {}
void complex(_Complex double) {}
#ifdef __SIZEOF_INT128__
void wide(__int128, unsigned __int128) {}
#endif

// Coroutines.
struct Task {
	struct promise_type {
		Task get_return_object() { return {}; }
		std::suspend_never initial_suspend() noexcept { return {}; }
		std::suspend_never final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
};
struct Awaiter {
	std::suspend_never operator co_await() { return {}; }
};
Task coroutine(int x) {
	co_await Awaiter();
	co_await std::suspend_never();
}
namespace outer {
Task inNamespace(std::string s) { co_return; }
struct Runs {
	Task member() const { co_return; }
};
Task useRuns() {
	Runs().member();
	co_return;
}
} // namespace outer

// Concepts, deduced template arguments, nested templates, back references beyond ten.
template <class T>
concept Small = sizeof(T) < 8;
template <Small T> void constrained(T) {}
void constrainedAuto(Small auto x) {}
void useConstrained() {
	constrained(1);
	constrainedAuto('c');
}
template <class A, class B, class C, class D, class E, class F, class G, class H, class I, class J, class K, class L>
struct Twelve {
	void f(A *, B *, C *, D *, E *, F *, G *, H *, I *, J *, K *, L *, A *, L *) {}
};
template <int N> struct Tag {};
template struct Twelve<Tag<0>, Tag<1>, Tag<2>, Tag<3>, Tag<4>, Tag<5>, Tag<6>, Tag<7>, Tag<8>, Tag<9>, Tag<10>, Tag<11>>;
template <class T, int N> struct Deep {
	using type = typename Deep<Pair<T, Deep<T, N>>, N - 1>::type;
};
template <class T> struct Deep<T, 0> {
	using type = T;
};
void deep(Deep<int, 5>::type *) {}
namespace n0 {
namespace n1 {
namespace n2 {
namespace n3 {
namespace n4 {
namespace n5 {
namespace n6 {
namespace n7 {
namespace n8 {
namespace n9 {
namespace n10 {
struct S {};
void f(S, S *, n0::n1::n2::n3::n4::n5::n6::n7::n8::n9::n10::S &) {}
} // namespace n10
} // namespace n9
} // namespace n8
} // namespace n7
} // namespace n6
} // namespace n5
} // namespace n4
} // namespace n3
} // namespace n2
} // namespace n1
} // namespace n0
template <class R, class... A> struct Function {
	template <class F> Function(F) : call([](void *, A...) -> R { return R(); }) {}
	R (*call)(void *, A...);
};
void useFunction() {
	Function<int, char, Struct *> f([](char, Struct *) { return 1; });
	sink(&f);
}
template <class T> struct Crtp {
	void f() { static_cast<T *>(this)->g(); }
};
struct UsesCrtp : Crtp<UsesCrtp> {
	void g() {}
};
void useCrtp() { UsesCrtp().f(); }
