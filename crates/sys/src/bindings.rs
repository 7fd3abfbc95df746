//! Types, constants and vtables, by bindgen.
//!
//! @generated from `include/*.h` by `cargo xtask codegen`. Do not edit.

#[repr(C)]
#[derive(Copy, Clone, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct __BindgenBitfieldUnit<Storage> {
    storage: Storage,
}
impl<Storage> __BindgenBitfieldUnit<Storage> {
    #[inline]
    pub const fn new(storage: Storage) -> Self {
        Self { storage }
    }
}
impl<Storage> __BindgenBitfieldUnit<Storage>
where
    Storage: AsRef<[u8]> + AsMut<[u8]>,
{
    #[inline]
    fn extract_bit(byte: u8, index: usize) -> bool {
        let bit_index = if cfg!(target_endian = "big") { 7 - (index % 8) } else { index % 8 };
        let mask = 1 << bit_index;
        byte & mask == mask
    }
    #[inline]
    pub fn get_bit(&self, index: usize) -> bool {
        debug_assert!(index / 8 < self.storage.as_ref().len());
        let byte_index = index / 8;
        let byte = self.storage.as_ref()[byte_index];
        Self::extract_bit(byte, index)
    }
    #[inline]
    pub unsafe fn raw_get_bit(this: *const Self, index: usize) -> bool {
        debug_assert!(index / 8 < core::mem::size_of::<Storage>());
        let byte_index = index / 8;
        let byte =
            unsafe { *(core::ptr::addr_of!((*this).storage) as *const u8).offset(byte_index as isize) };
        Self::extract_bit(byte, index)
    }
    #[inline]
    fn change_bit(byte: u8, index: usize, val: bool) -> u8 {
        let bit_index = if cfg!(target_endian = "big") { 7 - (index % 8) } else { index % 8 };
        let mask = 1 << bit_index;
        if val { byte | mask } else { byte & !mask }
    }
    #[inline]
    pub fn set_bit(&mut self, index: usize, val: bool) {
        debug_assert!(index / 8 < self.storage.as_ref().len());
        let byte_index = index / 8;
        let byte = &mut self.storage.as_mut()[byte_index];
        *byte = Self::change_bit(*byte, index, val);
    }
    #[inline]
    pub unsafe fn raw_set_bit(this: *mut Self, index: usize, val: bool) {
        debug_assert!(index / 8 < core::mem::size_of::<Storage>());
        let byte_index = index / 8;
        let byte =
            unsafe { (core::ptr::addr_of_mut!((*this).storage) as *mut u8).offset(byte_index as isize) };
        unsafe { *byte = Self::change_bit(*byte, index, val) };
    }
    #[inline]
    pub fn get(&self, bit_offset: usize, bit_width: u8) -> u64 {
        debug_assert!(bit_width <= 64);
        debug_assert!(bit_offset / 8 < self.storage.as_ref().len());
        debug_assert!((bit_offset + (bit_width as usize) + 7) / 8 <= self.storage.as_ref().len());
        if bit_width == 0 {
            return 0;
        }
        let mut val = 0u64;
        let storage = self.storage.as_ref();
        let start_byte = bit_offset / 8;
        let bit_shift = bit_offset % 8;
        let bytes_needed = (bit_width as usize + bit_shift + 7) / 8;
        if cfg!(target_endian = "big") {
            for i in 0..bytes_needed {
                val |= (storage[start_byte + i].reverse_bits() as u64) << (i * 8);
            }
        } else {
            for i in 0..bytes_needed {
                val |= (storage[start_byte + i] as u64) << (i * 8);
            }
        }
        val >>= bit_shift;
        if bit_width < 64 {
            val &= (1u64 << bit_width) - 1;
        }
        if cfg!(target_endian = "big") {
            val = val.reverse_bits() >> (64 - bit_width as usize);
        }
        val
    }
    #[inline]
    pub unsafe fn raw_get(this: *const Self, bit_offset: usize, bit_width: u8) -> u64 {
        debug_assert!(bit_width <= 64);
        debug_assert!(bit_offset / 8 < core::mem::size_of::<Storage>());
        debug_assert!((bit_offset + (bit_width as usize) + 7) / 8 <= core::mem::size_of::<Storage>());
        if bit_width == 0 {
            return 0;
        }
        let mut val = 0u64;
        let start_byte = bit_offset / 8;
        let bit_shift = bit_offset % 8;
        let bytes_needed = (bit_width as usize + bit_shift + 7) / 8;
        let storage_ptr = unsafe { core::ptr::addr_of!((*this).storage) as *const u8 };
        if cfg!(target_endian = "big") {
            for i in 0..bytes_needed {
                let byte = unsafe { *storage_ptr.add(start_byte + i) };
                val |= (byte.reverse_bits() as u64) << (i * 8);
            }
        } else {
            for i in 0..bytes_needed {
                let byte = unsafe { *storage_ptr.add(start_byte + i) };
                val |= (byte as u64) << (i * 8);
            }
        }
        val >>= bit_shift;
        if bit_width < 64 {
            val &= (1u64 << bit_width) - 1;
        }
        if cfg!(target_endian = "big") {
            val = val.reverse_bits() >> (64 - bit_width as usize);
        }
        val
    }
    #[inline]
    pub fn set(&mut self, bit_offset: usize, bit_width: u8, val: u64) {
        debug_assert!(bit_width <= 64);
        debug_assert!(bit_offset / 8 < self.storage.as_ref().len());
        debug_assert!((bit_offset + (bit_width as usize) + 7) / 8 <= self.storage.as_ref().len());
        if bit_width == 0 {
            return;
        }
        let mut val = val;
        if bit_width < 64 {
            val &= (1u64 << bit_width) - 1;
        }
        if cfg!(target_endian = "big") {
            val = val.reverse_bits() >> (64 - bit_width as usize);
        }
        let storage = self.storage.as_mut();
        let start_byte = bit_offset / 8;
        let bit_shift = bit_offset % 8;
        let bytes_needed = (bit_width as usize + bit_shift + 7) / 8;
        val <<= bit_shift;
        let field_mask = if bit_width as usize + bit_shift >= 64 {
            !0u64 << bit_shift
        } else {
            ((1u64 << bit_width) - 1) << bit_shift
        };
        for i in 0..bytes_needed {
            let byte_val = (val >> (i * 8)) as u8;
            let byte_mask = (field_mask >> (i * 8)) as u8;
            if cfg!(target_endian = "big") {
                let byte = storage[start_byte + i].reverse_bits();
                let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                storage[start_byte + i] = new_byte.reverse_bits();
            } else {
                storage[start_byte + i] = (storage[start_byte + i] & !byte_mask) | (byte_val & byte_mask);
            }
        }
    }
    #[inline]
    pub unsafe fn raw_set(this: *mut Self, bit_offset: usize, bit_width: u8, val: u64) {
        debug_assert!(bit_width <= 64);
        debug_assert!(bit_offset / 8 < core::mem::size_of::<Storage>());
        debug_assert!((bit_offset + (bit_width as usize) + 7) / 8 <= core::mem::size_of::<Storage>());
        if bit_width == 0 {
            return;
        }
        let mut val = val;
        if bit_width < 64 {
            val &= (1u64 << bit_width) - 1;
        }
        if cfg!(target_endian = "big") {
            val = val.reverse_bits() >> (64 - bit_width as usize);
        }
        let start_byte = bit_offset / 8;
        let bit_shift = bit_offset % 8;
        let bytes_needed = (bit_width as usize + bit_shift + 7) / 8;
        val <<= bit_shift;
        let field_mask = if bit_width as usize + bit_shift >= 64 {
            !0u64 << bit_shift
        } else {
            ((1u64 << bit_width) - 1) << bit_shift
        };
        let storage_ptr = unsafe { core::ptr::addr_of_mut!((*this).storage) as *mut u8 };
        for i in 0..bytes_needed {
            let byte_val = (val >> (i * 8)) as u8;
            let byte_mask = (field_mask >> (i * 8)) as u8;
            let byte_ptr = unsafe { storage_ptr.add(start_byte + i) };
            if cfg!(target_endian = "big") {
                let byte = unsafe { (*byte_ptr).reverse_bits() };
                let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                unsafe { *byte_ptr = new_byte.reverse_bits() };
            } else {
                unsafe { *byte_ptr = (*byte_ptr & !byte_mask) | (byte_val & byte_mask) };
            }
        }
    }
}
/// Const-generic methods for efficient bitfield access when offset and width
/// are known at compile time.
impl<const N: usize> __BindgenBitfieldUnit<[u8; N]> {
    /// Get a field using const generics for compile-time optimization.
    /// Uses native word size operations when the field fits in usize.
    #[inline]
    pub const fn get_const<const BIT_OFFSET: usize, const BIT_WIDTH: u8>(&self) -> u64 {
        debug_assert!(BIT_WIDTH <= 64);
        debug_assert!(BIT_OFFSET / 8 < N);
        debug_assert!((BIT_OFFSET + (BIT_WIDTH as usize) + 7) / 8 <= N);
        if BIT_WIDTH == 0 {
            return 0;
        }
        let start_byte = BIT_OFFSET / 8;
        let bit_shift = BIT_OFFSET % 8;
        let bytes_needed = (BIT_WIDTH as usize + bit_shift + 7) / 8;
        if BIT_WIDTH as usize + bit_shift <= usize::BITS as usize {
            let mut val = 0usize;
            if cfg!(target_endian = "big") {
                let mut i = 0;
                while i < bytes_needed {
                    val |= (self.storage[start_byte + i].reverse_bits() as usize) << (i * 8);
                    i += 1;
                }
            } else {
                let mut i = 0;
                while i < bytes_needed {
                    val |= (self.storage[start_byte + i] as usize) << (i * 8);
                    i += 1;
                }
            }
            val >>= bit_shift;
            if (BIT_WIDTH as u32) < usize::BITS {
                val &= (1usize << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (usize::BITS as usize - BIT_WIDTH as usize);
            }
            val as u64
        } else {
            let mut val = 0u64;
            if cfg!(target_endian = "big") {
                let mut i = 0;
                while i < bytes_needed {
                    val |= (self.storage[start_byte + i].reverse_bits() as u64) << (i * 8);
                    i += 1;
                }
            } else {
                let mut i = 0;
                while i < bytes_needed {
                    val |= (self.storage[start_byte + i] as u64) << (i * 8);
                    i += 1;
                }
            }
            val >>= bit_shift;
            if BIT_WIDTH < 64 {
                val &= (1u64 << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (64 - BIT_WIDTH as usize);
            }
            val
        }
    }
    /// Set a field using const generics for compile-time optimization.
    /// Uses native word size operations when the field fits in usize.
    #[inline]
    pub fn set_const<const BIT_OFFSET: usize, const BIT_WIDTH: u8>(&mut self, val: u64) {
        debug_assert!(BIT_WIDTH <= 64);
        debug_assert!(BIT_OFFSET / 8 < N);
        debug_assert!((BIT_OFFSET + (BIT_WIDTH as usize) + 7) / 8 <= N);
        if BIT_WIDTH == 0 {
            return;
        }
        let start_byte = BIT_OFFSET / 8;
        let bit_shift = BIT_OFFSET % 8;
        let bytes_needed = (BIT_WIDTH as usize + bit_shift + 7) / 8;
        if BIT_WIDTH as usize + bit_shift <= usize::BITS as usize {
            let mut val = val as usize;
            if (BIT_WIDTH as u32) < usize::BITS {
                val &= (1usize << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (usize::BITS as usize - BIT_WIDTH as usize);
            }
            val <<= bit_shift;
            let field_mask = if BIT_WIDTH as usize + bit_shift >= usize::BITS as usize {
                !0usize << bit_shift
            } else {
                ((1usize << BIT_WIDTH) - 1) << bit_shift
            };
            let mut i = 0;
            while i < bytes_needed {
                let byte_val = (val >> (i * 8)) as u8;
                let byte_mask = (field_mask >> (i * 8)) as u8;
                if cfg!(target_endian = "big") {
                    let byte = self.storage[start_byte + i].reverse_bits();
                    let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                    self.storage[start_byte + i] = new_byte.reverse_bits();
                } else {
                    self.storage[start_byte + i] =
                        (self.storage[start_byte + i] & !byte_mask) | (byte_val & byte_mask);
                }
                i += 1;
            }
        } else {
            let mut val = val;
            if BIT_WIDTH < 64 {
                val &= (1u64 << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (64 - BIT_WIDTH as usize);
            }
            val <<= bit_shift;
            let field_mask = if BIT_WIDTH as usize + bit_shift >= 64 {
                !0u64 << bit_shift
            } else {
                ((1u64 << BIT_WIDTH) - 1) << bit_shift
            };
            let mut i = 0;
            while i < bytes_needed {
                let byte_val = (val >> (i * 8)) as u8;
                let byte_mask = (field_mask >> (i * 8)) as u8;
                if cfg!(target_endian = "big") {
                    let byte = self.storage[start_byte + i].reverse_bits();
                    let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                    self.storage[start_byte + i] = new_byte.reverse_bits();
                } else {
                    self.storage[start_byte + i] =
                        (self.storage[start_byte + i] & !byte_mask) | (byte_val & byte_mask);
                }
                i += 1;
            }
        }
    }
    /// Raw pointer get using const generics for compile-time optimization.
    /// Uses native word size operations when the field fits in usize.
    #[inline]
    pub const unsafe fn raw_get_const<const BIT_OFFSET: usize, const BIT_WIDTH: u8>(
        this: *const Self,
    ) -> u64 {
        debug_assert!(BIT_WIDTH <= 64);
        debug_assert!(BIT_OFFSET / 8 < N);
        debug_assert!((BIT_OFFSET + (BIT_WIDTH as usize) + 7) / 8 <= N);
        if BIT_WIDTH == 0 {
            return 0;
        }
        let start_byte = BIT_OFFSET / 8;
        let bit_shift = BIT_OFFSET % 8;
        let bytes_needed = (BIT_WIDTH as usize + bit_shift + 7) / 8;
        let storage_ptr = unsafe { core::ptr::addr_of!((*this).storage) as *const u8 };
        if BIT_WIDTH as usize + bit_shift <= usize::BITS as usize {
            let mut val = 0usize;
            if cfg!(target_endian = "big") {
                let mut i = 0;
                while i < bytes_needed {
                    let byte = unsafe { *storage_ptr.add(start_byte + i) };
                    val |= (byte.reverse_bits() as usize) << (i * 8);
                    i += 1;
                }
            } else {
                let mut i = 0;
                while i < bytes_needed {
                    let byte = unsafe { *storage_ptr.add(start_byte + i) };
                    val |= (byte as usize) << (i * 8);
                    i += 1;
                }
            }
            val >>= bit_shift;
            if (BIT_WIDTH as u32) < usize::BITS {
                val &= (1usize << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (usize::BITS as usize - BIT_WIDTH as usize);
            }
            val as u64
        } else {
            let mut val = 0u64;
            if cfg!(target_endian = "big") {
                let mut i = 0;
                while i < bytes_needed {
                    let byte = unsafe { *storage_ptr.add(start_byte + i) };
                    val |= (byte.reverse_bits() as u64) << (i * 8);
                    i += 1;
                }
            } else {
                let mut i = 0;
                while i < bytes_needed {
                    let byte = unsafe { *storage_ptr.add(start_byte + i) };
                    val |= (byte as u64) << (i * 8);
                    i += 1;
                }
            }
            val >>= bit_shift;
            if BIT_WIDTH < 64 {
                val &= (1u64 << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (64 - BIT_WIDTH as usize);
            }
            val
        }
    }
    /// Raw pointer set using const generics for compile-time optimization.
    /// Uses native word size operations when the field fits in usize.
    #[inline]
    pub unsafe fn raw_set_const<const BIT_OFFSET: usize, const BIT_WIDTH: u8>(this: *mut Self, val: u64) {
        debug_assert!(BIT_WIDTH <= 64);
        debug_assert!(BIT_OFFSET / 8 < N);
        debug_assert!((BIT_OFFSET + (BIT_WIDTH as usize) + 7) / 8 <= N);
        if BIT_WIDTH == 0 {
            return;
        }
        let start_byte = BIT_OFFSET / 8;
        let bit_shift = BIT_OFFSET % 8;
        let bytes_needed = (BIT_WIDTH as usize + bit_shift + 7) / 8;
        let storage_ptr = this.cast::<[u8; N]>().cast::<u8>();
        if BIT_WIDTH as usize + bit_shift <= usize::BITS as usize {
            let mut val = val as usize;
            if (BIT_WIDTH as u32) < usize::BITS {
                val &= (1usize << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (usize::BITS as usize - BIT_WIDTH as usize);
            }
            val <<= bit_shift;
            let field_mask = if BIT_WIDTH as usize + bit_shift >= usize::BITS as usize {
                !0usize << bit_shift
            } else {
                ((1usize << BIT_WIDTH) - 1) << bit_shift
            };
            let mut i = 0;
            while i < bytes_needed {
                let byte_val = (val >> (i * 8)) as u8;
                let byte_mask = (field_mask >> (i * 8)) as u8;
                let byte_ptr = unsafe { storage_ptr.add(start_byte + i) };
                if cfg!(target_endian = "big") {
                    let byte = unsafe { (*byte_ptr).reverse_bits() };
                    let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                    unsafe { *byte_ptr = new_byte.reverse_bits() };
                } else {
                    unsafe { *byte_ptr = (*byte_ptr & !byte_mask) | (byte_val & byte_mask) };
                }
                i += 1;
            }
        } else {
            let mut val = val;
            if BIT_WIDTH < 64 {
                val &= (1u64 << BIT_WIDTH) - 1;
            }
            if cfg!(target_endian = "big") {
                val = val.reverse_bits() >> (64 - BIT_WIDTH as usize);
            }
            val <<= bit_shift;
            let field_mask = if BIT_WIDTH as usize + bit_shift >= 64 {
                !0u64 << bit_shift
            } else {
                ((1u64 << BIT_WIDTH) - 1) << bit_shift
            };
            let mut i = 0;
            while i < bytes_needed {
                let byte_val = (val >> (i * 8)) as u8;
                let byte_mask = (field_mask >> (i * 8)) as u8;
                let byte_ptr = unsafe { storage_ptr.add(start_byte + i) };
                if cfg!(target_endian = "big") {
                    let byte = unsafe { (*byte_ptr).reverse_bits() };
                    let new_byte = (byte & !byte_mask) | (byte_val & byte_mask);
                    unsafe { *byte_ptr = new_byte.reverse_bits() };
                } else {
                    unsafe { *byte_ptr = (*byte_ptr & !byte_mask) | (byte_val & byte_mask) };
                }
                i += 1;
            }
        }
    }
}
pub const DESCR_GROUP_METHODDEF: u32 = 0;
pub const DESCR_GROUP_METHODIMPL: u32 = 1;
pub const SIGN_MASK_ONEBYTE: u32 = 4294967232;
pub const SIGN_MASK_TWOBYTE: u32 = 4294959104;
pub const SIGN_MASK_FOURBYTE: u32 = 4026531840;
pub type BYTE = u8;
pub type UINT8 = u8;
pub type USHORT = u16;
/// A UTF-16 code unit, on every platform.
pub type WCHAR = u16;
pub type ULONG = u32;
pub type ULONG32 = u32;
pub type DWORD = u32;
pub type UINT = u32;
pub type UINT32 = u32;
pub type LONG = i32;
pub type INT = i32;
/// Zero is false, anything else is true.
pub type BOOL = i32;
/// Result of a call: negative is failure.
pub type HRESULT = i32;
pub type UINT64 = u64;
pub type ULONG64 = u64;
pub type ULONGLONG = u64;
pub type SIZE_T = usize;
pub type UINT_PTR = usize;
pub type PVOID = *mut ::core::ffi::c_void;
pub type LPCVOID = *const ::core::ffi::c_void;
pub type HANDLE = *mut ::core::ffi::c_void;
pub type LPWSTR = *mut WCHAR;
pub type LPCWSTR = *const WCHAR;
/// A 128-bit identifier, laid out as in memory: the first three parts are in native byte order.
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GUID {
    pub data1: u32,
    pub data2: u16,
    pub data3: u16,
    pub data4: [u8; 8usize],
}
/// A 128-bit identifier, laid out as in memory: the first three parts are in native byte order.
pub type IID = GUID;
/// A 128-bit identifier, laid out as in memory: the first three parts are in native byte order.
pub type CLSID = GUID;
pub type LPCGUID = *const GUID;
pub type REFGUID = *const GUID;
pub type REFIID = *const IID;
pub type REFCLSID = *const CLSID;
/// Place and size of a part of an image.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct IMAGE_DATA_DIRECTORY {
    pub VirtualAddress: u32,
    pub Size: u32,
}
#[repr(C)]
#[derive(Debug)]
pub struct IStream {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct ITypeInfo {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct VARIANT {
    _unused: [u8; 0],
}
pub const S_OK: HRESULT = 0x0;
pub const S_FALSE: HRESULT = 0x1;
pub const E_PENDING: HRESULT = 0x8000000A_u32 as HRESULT;
pub const E_BOUNDS: HRESULT = 0x8000000B_u32 as HRESULT;
pub const E_NOTIMPL: HRESULT = 0x80004001_u32 as HRESULT;
pub const E_NOINTERFACE: HRESULT = 0x80004002_u32 as HRESULT;
pub const E_POINTER: HRESULT = 0x80004003_u32 as HRESULT;
pub const E_ABORT: HRESULT = 0x80004004_u32 as HRESULT;
pub const E_FAIL: HRESULT = 0x80004005_u32 as HRESULT;
pub const E_UNEXPECTED: HRESULT = 0x8000FFFF_u32 as HRESULT;
pub const CLASS_E_NOAGGREGATION: HRESULT = 0x80040110_u32 as HRESULT;
pub const CLASS_E_CLASSNOTAVAILABLE: HRESULT = 0x80040111_u32 as HRESULT;
pub const E_FILENOTFOUND: HRESULT = 0x80070002_u32 as HRESULT;
pub const E_ACCESSDENIED: HRESULT = 0x80070005_u32 as HRESULT;
pub const E_HANDLE: HRESULT = 0x80070006_u32 as HRESULT;
pub const E_OUTOFMEMORY: HRESULT = 0x8007000E_u32 as HRESULT;
pub const E_INVALIDARG: HRESULT = 0x80070057_u32 as HRESULT;
pub const E_INSUFFICIENT_BUFFER: HRESULT = 0x8007007A_u32 as HRESULT;
/// What every interface begins with: identity and lifetime.
#[repr(C)]
pub struct IUnknown {
    pub lpVtbl: *const IUnknownVtbl,
}
/// Methods of `IUnknown`: slots 0 to 2 of every vtable.
#[repr(C)]
pub struct IUnknownVtbl {
    pub QueryInterface: unsafe extern "system" fn(
        This: *mut IUnknown,
        riid: REFIID,
        ppvObject: *mut *mut ::core::ffi::c_void,
    ) -> HRESULT,
    pub AddRef: unsafe extern "system" fn(This: *mut IUnknown) -> ULONG,
    pub Release: unsafe extern "system" fn(This: *mut IUnknown) -> ULONG,
}
/// What a profiler's library hands out from `DllGetClassObject`.
#[repr(C)]
pub struct IClassFactory {
    pub lpVtbl: *const IClassFactoryVtbl,
}
/// Methods of `IClassFactory`: the inherited ones in `base`, then slots 3 and 4.
#[repr(C)]
pub struct IClassFactoryVtbl {
    pub base: IUnknownVtbl,
    pub CreateInstance: unsafe extern "system" fn(
        This: *mut IClassFactory,
        pUnkOuter: *mut IUnknown,
        riid: REFIID,
        ppvObject: *mut *mut ::core::ffi::c_void,
    ) -> HRESULT,
    pub LockServer: unsafe extern "system" fn(This: *mut IClassFactory, fLock: BOOL) -> HRESULT,
}
pub type mdScope = *mut ::core::ffi::c_void;
/// A metadata token: table in the high byte, row below.
pub type mdToken = u32;
pub type mdModule = mdToken;
pub type mdTypeRef = mdToken;
pub type mdTypeDef = mdToken;
pub type mdFieldDef = mdToken;
pub type mdMethodDef = mdToken;
pub type mdParamDef = mdToken;
pub type mdInterfaceImpl = mdToken;
pub type mdMemberRef = mdToken;
pub type mdCustomAttribute = mdToken;
pub type mdPermission = mdToken;
pub type mdSignature = mdToken;
pub type mdEvent = mdToken;
pub type mdProperty = mdToken;
pub type mdModuleRef = mdToken;
pub type mdAssembly = mdToken;
pub type mdAssemblyRef = mdToken;
pub type mdFile = mdToken;
pub type mdExportedType = mdToken;
pub type mdManifestResource = mdToken;
pub type mdTypeSpec = mdToken;
pub type mdGenericParam = mdToken;
pub type mdMethodSpec = mdToken;
pub type mdGenericParamConstraint = mdToken;
pub type mdString = mdToken;
pub type mdCPToken = mdToken;
/// A row of a metadata table, from 1.
pub type RID = u32;
pub const IMAGE_DIRECTORY_ENTRY_COMHEADER: ReplacesGeneralNumericDefines = ReplacesGeneralNumericDefines(0xE);
#[repr(transparent)]
/// A constant of images.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct ReplacesGeneralNumericDefines(pub u32);
pub const COMIMAGE_FLAGS_ILONLY: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(1);
pub const COMIMAGE_FLAGS_32BITREQUIRED: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(2);
pub const COMIMAGE_FLAGS_IL_LIBRARY: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(4);
pub const COMIMAGE_FLAGS_STRONGNAMESIGNED: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(8);
pub const COMIMAGE_FLAGS_NATIVE_ENTRYPOINT: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(0x10);
pub const COMIMAGE_FLAGS_TRACKDEBUGDATA: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(0x10000);
pub const COMIMAGE_FLAGS_32BITPREFERRED: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(0x20000);
pub const COR_VERSION_MAJOR_V2: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(2);
pub const COR_VERSION_MAJOR: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(2);
pub const COR_VERSION_MINOR: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(5);
pub const COR_DELETED_NAME_LENGTH: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(8);
pub const COR_VTABLEGAP_NAME_LENGTH: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(8);
pub const NATIVE_TYPE_MAX_CB: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(1);
pub const COR_ILMETHOD_SECT_SMALL_MAX_DATASIZE: ReplacesCorHdrNumericDefines =
    ReplacesCorHdrNumericDefines(255);
pub const COR_VTABLE_32BIT: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(1);
pub const COR_VTABLE_64BIT: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(2);
pub const COR_VTABLE_FROM_UNMANAGED: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(4);
pub const COR_VTABLE_FROM_UNMANAGED_RETAIN_APPDOMAIN: ReplacesCorHdrNumericDefines =
    ReplacesCorHdrNumericDefines(8);
pub const COR_VTABLE_CALL_MOST_DERIVED: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(0x10);
pub const IMAGE_COR_EATJ_THUNK_SIZE: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(0x20);
pub const MAX_CLASS_NAME: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(0x400);
pub const MAX_PACKAGE_NAME: ReplacesCorHdrNumericDefines = ReplacesCorHdrNumericDefines(0x400);
#[repr(transparent)]
/// Flags of the CLI header, and limits.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct ReplacesCorHdrNumericDefines(pub u32);
/// The CLI header of an image.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct IMAGE_COR20_HEADER {
    pub cb: u32,
    pub MajorRuntimeVersion: u16,
    pub MinorRuntimeVersion: u16,
    pub MetaData: IMAGE_DATA_DIRECTORY,
    pub Flags: u32,
    /// Token of the managed entry point, or the RVA of a native one, as the flags say.
    pub EntryPointTokenOrRVA: u32,
    pub Resources: IMAGE_DATA_DIRECTORY,
    pub StrongNameSignature: IMAGE_DATA_DIRECTORY,
    pub CodeManagerTable: IMAGE_DATA_DIRECTORY,
    pub VTableFixups: IMAGE_DATA_DIRECTORY,
    pub ExportAddressTableJumps: IMAGE_DATA_DIRECTORY,
    pub ManagedNativeHeader: IMAGE_DATA_DIRECTORY,
}
pub type PIMAGE_COR20_HEADER = *mut IMAGE_COR20_HEADER;
pub const tdVisibilityMask: CorTypeAttr = CorTypeAttr(7);
pub const tdNotPublic: CorTypeAttr = CorTypeAttr(0);
pub const tdPublic: CorTypeAttr = CorTypeAttr(1);
pub const tdNestedPublic: CorTypeAttr = CorTypeAttr(2);
pub const tdNestedPrivate: CorTypeAttr = CorTypeAttr(3);
pub const tdNestedFamily: CorTypeAttr = CorTypeAttr(4);
pub const tdNestedAssembly: CorTypeAttr = CorTypeAttr(5);
pub const tdNestedFamANDAssem: CorTypeAttr = CorTypeAttr(6);
pub const tdNestedFamORAssem: CorTypeAttr = CorTypeAttr(7);
pub const tdLayoutMask: CorTypeAttr = CorTypeAttr(0x18);
pub const tdAutoLayout: CorTypeAttr = CorTypeAttr(0);
pub const tdSequentialLayout: CorTypeAttr = CorTypeAttr(8);
pub const tdExplicitLayout: CorTypeAttr = CorTypeAttr(0x10);
pub const tdClassSemanticsMask: CorTypeAttr = CorTypeAttr(0x20);
pub const tdClass: CorTypeAttr = CorTypeAttr(0);
pub const tdInterface: CorTypeAttr = CorTypeAttr(0x20);
pub const tdAbstract: CorTypeAttr = CorTypeAttr(0x80);
pub const tdSealed: CorTypeAttr = CorTypeAttr(0x100);
pub const tdSpecialName: CorTypeAttr = CorTypeAttr(0x400);
pub const tdImport: CorTypeAttr = CorTypeAttr(0x1000);
pub const tdSerializable: CorTypeAttr = CorTypeAttr(0x2000);
pub const tdWindowsRuntime: CorTypeAttr = CorTypeAttr(0x4000);
pub const tdStringFormatMask: CorTypeAttr = CorTypeAttr(0x30000);
pub const tdAnsiClass: CorTypeAttr = CorTypeAttr(0);
pub const tdUnicodeClass: CorTypeAttr = CorTypeAttr(0x10000);
pub const tdAutoClass: CorTypeAttr = CorTypeAttr(0x20000);
pub const tdCustomFormatClass: CorTypeAttr = CorTypeAttr(0x30000);
pub const tdCustomFormatMask: CorTypeAttr = CorTypeAttr(0xC00000);
pub const tdBeforeFieldInit: CorTypeAttr = CorTypeAttr(0x100000);
pub const tdForwarder: CorTypeAttr = CorTypeAttr(0x200000);
pub const tdReservedMask: CorTypeAttr = CorTypeAttr(0x40800);
pub const tdRTSpecialName: CorTypeAttr = CorTypeAttr(0x800);
pub const tdHasSecurity: CorTypeAttr = CorTypeAttr(0x40000);
#[repr(transparent)]
/// Flags of types.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorTypeAttr(pub u32);
pub const mdMemberAccessMask: CorMethodAttr = CorMethodAttr(7);
pub const mdPrivateScope: CorMethodAttr = CorMethodAttr(0);
pub const mdPrivate: CorMethodAttr = CorMethodAttr(1);
pub const mdFamANDAssem: CorMethodAttr = CorMethodAttr(2);
pub const mdAssem: CorMethodAttr = CorMethodAttr(3);
pub const mdFamily: CorMethodAttr = CorMethodAttr(4);
pub const mdFamORAssem: CorMethodAttr = CorMethodAttr(5);
pub const mdPublic: CorMethodAttr = CorMethodAttr(6);
pub const mdStatic: CorMethodAttr = CorMethodAttr(0x10);
pub const mdFinal: CorMethodAttr = CorMethodAttr(0x20);
pub const mdVirtual: CorMethodAttr = CorMethodAttr(0x40);
pub const mdHideBySig: CorMethodAttr = CorMethodAttr(0x80);
pub const mdVtableLayoutMask: CorMethodAttr = CorMethodAttr(0x100);
pub const mdReuseSlot: CorMethodAttr = CorMethodAttr(0);
pub const mdNewSlot: CorMethodAttr = CorMethodAttr(0x100);
pub const mdCheckAccessOnOverride: CorMethodAttr = CorMethodAttr(0x200);
pub const mdAbstract: CorMethodAttr = CorMethodAttr(0x400);
pub const mdSpecialName: CorMethodAttr = CorMethodAttr(0x800);
pub const mdPinvokeImpl: CorMethodAttr = CorMethodAttr(0x2000);
pub const mdUnmanagedExport: CorMethodAttr = CorMethodAttr(8);
pub const mdReservedMask: CorMethodAttr = CorMethodAttr(0xD000);
pub const mdRTSpecialName: CorMethodAttr = CorMethodAttr(0x1000);
pub const mdHasSecurity: CorMethodAttr = CorMethodAttr(0x4000);
pub const mdRequireSecObject: CorMethodAttr = CorMethodAttr(0x8000);
#[repr(transparent)]
/// Flags of methods.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorMethodAttr(pub u32);
pub const fdFieldAccessMask: CorFieldAttr = CorFieldAttr(7);
pub const fdPrivateScope: CorFieldAttr = CorFieldAttr(0);
pub const fdPrivate: CorFieldAttr = CorFieldAttr(1);
pub const fdFamANDAssem: CorFieldAttr = CorFieldAttr(2);
pub const fdAssembly: CorFieldAttr = CorFieldAttr(3);
pub const fdFamily: CorFieldAttr = CorFieldAttr(4);
pub const fdFamORAssem: CorFieldAttr = CorFieldAttr(5);
pub const fdPublic: CorFieldAttr = CorFieldAttr(6);
pub const fdStatic: CorFieldAttr = CorFieldAttr(0x10);
pub const fdInitOnly: CorFieldAttr = CorFieldAttr(0x20);
pub const fdLiteral: CorFieldAttr = CorFieldAttr(0x40);
pub const fdNotSerialized: CorFieldAttr = CorFieldAttr(0x80);
pub const fdSpecialName: CorFieldAttr = CorFieldAttr(0x200);
pub const fdPinvokeImpl: CorFieldAttr = CorFieldAttr(0x2000);
pub const fdReservedMask: CorFieldAttr = CorFieldAttr(0x9500);
pub const fdRTSpecialName: CorFieldAttr = CorFieldAttr(0x400);
pub const fdHasFieldMarshal: CorFieldAttr = CorFieldAttr(0x1000);
pub const fdHasDefault: CorFieldAttr = CorFieldAttr(0x8000);
pub const fdHasFieldRVA: CorFieldAttr = CorFieldAttr(0x100);
#[repr(transparent)]
/// Flags of fields.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorFieldAttr(pub u32);
pub const pdIn: CorParamAttr = CorParamAttr(1);
pub const pdOut: CorParamAttr = CorParamAttr(2);
pub const pdOptional: CorParamAttr = CorParamAttr(0x10);
pub const pdReservedMask: CorParamAttr = CorParamAttr(0xF000);
pub const pdHasDefault: CorParamAttr = CorParamAttr(0x1000);
pub const pdHasFieldMarshal: CorParamAttr = CorParamAttr(0x2000);
pub const pdUnused: CorParamAttr = CorParamAttr(0xCFE0);
#[repr(transparent)]
/// Flags of parameters.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorParamAttr(pub u32);
pub const prSpecialName: CorPropertyAttr = CorPropertyAttr(0x200);
pub const prReservedMask: CorPropertyAttr = CorPropertyAttr(0xF400);
pub const prRTSpecialName: CorPropertyAttr = CorPropertyAttr(0x400);
pub const prHasDefault: CorPropertyAttr = CorPropertyAttr(0x1000);
pub const prUnused: CorPropertyAttr = CorPropertyAttr(0xE9FF);
#[repr(transparent)]
/// Flags of properties.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorPropertyAttr(pub u32);
pub const evSpecialName: CorEventAttr = CorEventAttr(0x200);
pub const evReservedMask: CorEventAttr = CorEventAttr(0x400);
pub const evRTSpecialName: CorEventAttr = CorEventAttr(0x400);
#[repr(transparent)]
/// Flags of events.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorEventAttr(pub u32);
pub const msSetter: CorMethodSemanticsAttr = CorMethodSemanticsAttr(1);
pub const msGetter: CorMethodSemanticsAttr = CorMethodSemanticsAttr(2);
pub const msOther: CorMethodSemanticsAttr = CorMethodSemanticsAttr(4);
pub const msAddOn: CorMethodSemanticsAttr = CorMethodSemanticsAttr(8);
pub const msRemoveOn: CorMethodSemanticsAttr = CorMethodSemanticsAttr(0x10);
pub const msFire: CorMethodSemanticsAttr = CorMethodSemanticsAttr(0x20);
#[repr(transparent)]
/// What a method is to a property or an event.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorMethodSemanticsAttr(pub u32);
pub const dclActionMask: CorDeclSecurity = CorDeclSecurity(0x1F);
pub const dclActionNil: CorDeclSecurity = CorDeclSecurity(0);
pub const dclRequest: CorDeclSecurity = CorDeclSecurity(1);
pub const dclDemand: CorDeclSecurity = CorDeclSecurity(2);
pub const dclAssert: CorDeclSecurity = CorDeclSecurity(3);
pub const dclDeny: CorDeclSecurity = CorDeclSecurity(4);
pub const dclPermitOnly: CorDeclSecurity = CorDeclSecurity(5);
pub const dclLinktimeCheck: CorDeclSecurity = CorDeclSecurity(6);
pub const dclInheritanceCheck: CorDeclSecurity = CorDeclSecurity(7);
pub const dclRequestMinimum: CorDeclSecurity = CorDeclSecurity(8);
pub const dclRequestOptional: CorDeclSecurity = CorDeclSecurity(9);
pub const dclRequestRefuse: CorDeclSecurity = CorDeclSecurity(0xA);
pub const dclPrejitGrant: CorDeclSecurity = CorDeclSecurity(0xB);
pub const dclPrejitDenied: CorDeclSecurity = CorDeclSecurity(0xC);
pub const dclNonCasDemand: CorDeclSecurity = CorDeclSecurity(0xD);
pub const dclNonCasLinkDemand: CorDeclSecurity = CorDeclSecurity(0xE);
pub const dclNonCasInheritance: CorDeclSecurity = CorDeclSecurity(0xF);
pub const dclMaximumValue: CorDeclSecurity = CorDeclSecurity(0xF);
#[repr(transparent)]
/// Actions of declarative security.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorDeclSecurity(pub u32);
pub const miCodeTypeMask: CorMethodImpl = CorMethodImpl(3);
pub const miIL: CorMethodImpl = CorMethodImpl(0);
pub const miNative: CorMethodImpl = CorMethodImpl(1);
pub const miOPTIL: CorMethodImpl = CorMethodImpl(2);
pub const miRuntime: CorMethodImpl = CorMethodImpl(3);
pub const miManagedMask: CorMethodImpl = CorMethodImpl(4);
pub const miUnmanaged: CorMethodImpl = CorMethodImpl(4);
pub const miManaged: CorMethodImpl = CorMethodImpl(0);
pub const miForwardRef: CorMethodImpl = CorMethodImpl(0x10);
pub const miPreserveSig: CorMethodImpl = CorMethodImpl(0x80);
pub const miInternalCall: CorMethodImpl = CorMethodImpl(0x1000);
pub const miSynchronized: CorMethodImpl = CorMethodImpl(0x20);
pub const miNoInlining: CorMethodImpl = CorMethodImpl(8);
pub const miAggressiveInlining: CorMethodImpl = CorMethodImpl(0x100);
pub const miNoOptimization: CorMethodImpl = CorMethodImpl(0x40);
pub const miAggressiveOptimization: CorMethodImpl = CorMethodImpl(0x200);
pub const miUserMask: CorMethodImpl = CorMethodImpl(0x13FC);
pub const miMaxMethodImplVal: CorMethodImpl = CorMethodImpl(0xFFFF);
#[repr(transparent)]
/// Implementation flags of methods.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorMethodImpl(pub u32);
pub const pmNoMangle: CorPinvokeMap = CorPinvokeMap(1);
pub const pmCharSetMask: CorPinvokeMap = CorPinvokeMap(6);
pub const pmCharSetNotSpec: CorPinvokeMap = CorPinvokeMap(0);
pub const pmCharSetAnsi: CorPinvokeMap = CorPinvokeMap(2);
pub const pmCharSetUnicode: CorPinvokeMap = CorPinvokeMap(4);
pub const pmCharSetAuto: CorPinvokeMap = CorPinvokeMap(6);
pub const pmBestFitUseAssem: CorPinvokeMap = CorPinvokeMap(0);
pub const pmBestFitEnabled: CorPinvokeMap = CorPinvokeMap(0x10);
pub const pmBestFitDisabled: CorPinvokeMap = CorPinvokeMap(0x20);
pub const pmBestFitMask: CorPinvokeMap = CorPinvokeMap(0x30);
pub const pmThrowOnUnmappableCharUseAssem: CorPinvokeMap = CorPinvokeMap(0);
pub const pmThrowOnUnmappableCharEnabled: CorPinvokeMap = CorPinvokeMap(0x1000);
pub const pmThrowOnUnmappableCharDisabled: CorPinvokeMap = CorPinvokeMap(0x2000);
pub const pmThrowOnUnmappableCharMask: CorPinvokeMap = CorPinvokeMap(0x3000);
pub const pmSupportsLastError: CorPinvokeMap = CorPinvokeMap(0x40);
pub const pmCallConvMask: CorPinvokeMap = CorPinvokeMap(0x700);
pub const pmCallConvWinapi: CorPinvokeMap = CorPinvokeMap(0x100);
pub const pmCallConvCdecl: CorPinvokeMap = CorPinvokeMap(0x200);
pub const pmCallConvStdcall: CorPinvokeMap = CorPinvokeMap(0x300);
pub const pmCallConvThiscall: CorPinvokeMap = CorPinvokeMap(0x400);
pub const pmCallConvFastcall: CorPinvokeMap = CorPinvokeMap(0x500);
pub const pmMaxValue: CorPinvokeMap = CorPinvokeMap(0xFFFF);
#[repr(transparent)]
/// Flags of imported native functions.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorPinvokeMap(pub u32);
pub const afPublicKey: CorAssemblyFlags = CorAssemblyFlags(1);
pub const afPA_None: CorAssemblyFlags = CorAssemblyFlags(0);
pub const afPA_MSIL: CorAssemblyFlags = CorAssemblyFlags(0x10);
pub const afPA_x86: CorAssemblyFlags = CorAssemblyFlags(0x20);
pub const afPA_IA64: CorAssemblyFlags = CorAssemblyFlags(0x30);
pub const afPA_AMD64: CorAssemblyFlags = CorAssemblyFlags(0x40);
pub const afPA_ARM: CorAssemblyFlags = CorAssemblyFlags(0x50);
pub const afPA_ARM64: CorAssemblyFlags = CorAssemblyFlags(0x60);
pub const afPA_NoPlatform: CorAssemblyFlags = CorAssemblyFlags(0x70);
pub const afPA_Specified: CorAssemblyFlags = CorAssemblyFlags(0x80);
pub const afPA_Mask: CorAssemblyFlags = CorAssemblyFlags(0x70);
pub const afPA_FullMask: CorAssemblyFlags = CorAssemblyFlags(0xF0);
pub const afPA_Shift: CorAssemblyFlags = CorAssemblyFlags(4);
pub const afEnableJITcompileTracking: CorAssemblyFlags = CorAssemblyFlags(0x8000);
pub const afDisableJITcompileOptimizer: CorAssemblyFlags = CorAssemblyFlags(0x4000);
pub const afDebuggableAttributeMask: CorAssemblyFlags = CorAssemblyFlags(0xC000);
pub const afRetargetable: CorAssemblyFlags = CorAssemblyFlags(0x100);
pub const afContentType_Default: CorAssemblyFlags = CorAssemblyFlags(0);
pub const afContentType_WindowsRuntime: CorAssemblyFlags = CorAssemblyFlags(0x200);
pub const afContentType_Mask: CorAssemblyFlags = CorAssemblyFlags(0xE00);
#[repr(transparent)]
/// Flags of assemblies.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorAssemblyFlags(pub u32);
pub const mrVisibilityMask: CorManifestResourceFlags = CorManifestResourceFlags(7);
pub const mrPublic: CorManifestResourceFlags = CorManifestResourceFlags(1);
pub const mrPrivate: CorManifestResourceFlags = CorManifestResourceFlags(2);
#[repr(transparent)]
/// Flags of resources.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorManifestResourceFlags(pub u32);
pub const ffContainsMetaData: CorFileFlags = CorFileFlags(0);
pub const ffContainsNoMetaData: CorFileFlags = CorFileFlags(1);
#[repr(transparent)]
/// Flags of files of an assembly.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorFileFlags(pub u32);
pub const peNot: CorPEKind = CorPEKind(0);
pub const peILonly: CorPEKind = CorPEKind(1);
pub const pe32BitRequired: CorPEKind = CorPEKind(2);
pub const pe32Plus: CorPEKind = CorPEKind(4);
pub const pe32Unmanaged: CorPEKind = CorPEKind(8);
pub const pe32BitPreferred: CorPEKind = CorPEKind(0x10);
#[repr(transparent)]
/// Kinds of images.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorPEKind(pub u32);
pub const gpVarianceMask: CorGenericParamAttr = CorGenericParamAttr(3);
pub const gpNonVariant: CorGenericParamAttr = CorGenericParamAttr(0);
pub const gpCovariant: CorGenericParamAttr = CorGenericParamAttr(1);
pub const gpContravariant: CorGenericParamAttr = CorGenericParamAttr(2);
pub const gpSpecialConstraintMask: CorGenericParamAttr = CorGenericParamAttr(0x3C);
pub const gpNoSpecialConstraint: CorGenericParamAttr = CorGenericParamAttr(0);
pub const gpReferenceTypeConstraint: CorGenericParamAttr = CorGenericParamAttr(4);
pub const gpNotNullableValueTypeConstraint: CorGenericParamAttr = CorGenericParamAttr(8);
pub const gpDefaultConstructorConstraint: CorGenericParamAttr = CorGenericParamAttr(0x10);
pub const gpAcceptByRefLike: CorGenericParamAttr = CorGenericParamAttr(0x20);
#[repr(transparent)]
/// Flags of type parameters.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorGenericParamAttr(pub u32);
/// A byte of a signature.
pub type COR_SIGNATURE = BYTE;
pub type PCOR_SIGNATURE = *mut COR_SIGNATURE;
pub type PCCOR_SIGNATURE = *const COR_SIGNATURE;
/// UTF-8 text with a terminating zero.
pub type MDUTF8CSTR = *const ::core::ffi::c_char;
pub type MDUTF8STR = *mut ::core::ffi::c_char;
pub const ELEMENT_TYPE_END: CorElementType = CorElementType(0);
pub const ELEMENT_TYPE_VOID: CorElementType = CorElementType(1);
pub const ELEMENT_TYPE_BOOLEAN: CorElementType = CorElementType(2);
pub const ELEMENT_TYPE_CHAR: CorElementType = CorElementType(3);
pub const ELEMENT_TYPE_I1: CorElementType = CorElementType(4);
pub const ELEMENT_TYPE_U1: CorElementType = CorElementType(5);
pub const ELEMENT_TYPE_I2: CorElementType = CorElementType(6);
pub const ELEMENT_TYPE_U2: CorElementType = CorElementType(7);
pub const ELEMENT_TYPE_I4: CorElementType = CorElementType(8);
pub const ELEMENT_TYPE_U4: CorElementType = CorElementType(9);
pub const ELEMENT_TYPE_I8: CorElementType = CorElementType(0xA);
pub const ELEMENT_TYPE_U8: CorElementType = CorElementType(0xB);
pub const ELEMENT_TYPE_R4: CorElementType = CorElementType(0xC);
pub const ELEMENT_TYPE_R8: CorElementType = CorElementType(0xD);
pub const ELEMENT_TYPE_STRING: CorElementType = CorElementType(0xE);
pub const ELEMENT_TYPE_PTR: CorElementType = CorElementType(0xF);
pub const ELEMENT_TYPE_BYREF: CorElementType = CorElementType(0x10);
pub const ELEMENT_TYPE_VALUETYPE: CorElementType = CorElementType(0x11);
pub const ELEMENT_TYPE_CLASS: CorElementType = CorElementType(0x12);
pub const ELEMENT_TYPE_VAR: CorElementType = CorElementType(0x13);
pub const ELEMENT_TYPE_ARRAY: CorElementType = CorElementType(0x14);
pub const ELEMENT_TYPE_GENERICINST: CorElementType = CorElementType(0x15);
pub const ELEMENT_TYPE_TYPEDBYREF: CorElementType = CorElementType(0x16);
pub const ELEMENT_TYPE_I: CorElementType = CorElementType(0x18);
pub const ELEMENT_TYPE_U: CorElementType = CorElementType(0x19);
pub const ELEMENT_TYPE_FNPTR: CorElementType = CorElementType(0x1B);
pub const ELEMENT_TYPE_OBJECT: CorElementType = CorElementType(0x1C);
pub const ELEMENT_TYPE_SZARRAY: CorElementType = CorElementType(0x1D);
pub const ELEMENT_TYPE_MVAR: CorElementType = CorElementType(0x1E);
pub const ELEMENT_TYPE_CMOD_REQD: CorElementType = CorElementType(0x1F);
pub const ELEMENT_TYPE_CMOD_OPT: CorElementType = CorElementType(0x20);
pub const ELEMENT_TYPE_INTERNAL: CorElementType = CorElementType(0x21);
pub const ELEMENT_TYPE_MAX: CorElementType = CorElementType(0x22);
pub const ELEMENT_TYPE_MODIFIER: CorElementType = CorElementType(0x40);
pub const ELEMENT_TYPE_SENTINEL: CorElementType = CorElementType(0x41);
pub const ELEMENT_TYPE_PINNED: CorElementType = CorElementType(0x45);
#[repr(transparent)]
/// Types in signatures.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorElementType(pub u32);
pub const SERIALIZATION_TYPE_UNDEFINED: CorSerializationType = CorSerializationType(0);
pub const SERIALIZATION_TYPE_BOOLEAN: CorSerializationType = CorSerializationType(2);
pub const SERIALIZATION_TYPE_CHAR: CorSerializationType = CorSerializationType(3);
pub const SERIALIZATION_TYPE_I1: CorSerializationType = CorSerializationType(4);
pub const SERIALIZATION_TYPE_U1: CorSerializationType = CorSerializationType(5);
pub const SERIALIZATION_TYPE_I2: CorSerializationType = CorSerializationType(6);
pub const SERIALIZATION_TYPE_U2: CorSerializationType = CorSerializationType(7);
pub const SERIALIZATION_TYPE_I4: CorSerializationType = CorSerializationType(8);
pub const SERIALIZATION_TYPE_U4: CorSerializationType = CorSerializationType(9);
pub const SERIALIZATION_TYPE_I8: CorSerializationType = CorSerializationType(0xA);
pub const SERIALIZATION_TYPE_U8: CorSerializationType = CorSerializationType(0xB);
pub const SERIALIZATION_TYPE_R4: CorSerializationType = CorSerializationType(0xC);
pub const SERIALIZATION_TYPE_R8: CorSerializationType = CorSerializationType(0xD);
pub const SERIALIZATION_TYPE_STRING: CorSerializationType = CorSerializationType(0xE);
pub const SERIALIZATION_TYPE_SZARRAY: CorSerializationType = CorSerializationType(0x1D);
pub const SERIALIZATION_TYPE_TYPE: CorSerializationType = CorSerializationType(0x50);
pub const SERIALIZATION_TYPE_TAGGED_OBJECT: CorSerializationType = CorSerializationType(0x51);
pub const SERIALIZATION_TYPE_FIELD: CorSerializationType = CorSerializationType(0x53);
pub const SERIALIZATION_TYPE_PROPERTY: CorSerializationType = CorSerializationType(0x54);
pub const SERIALIZATION_TYPE_ENUM: CorSerializationType = CorSerializationType(0x55);
#[repr(transparent)]
/// Types in the blobs of custom attributes.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorSerializationType(pub u32);
pub const IMAGE_CEE_UNMANAGED_CALLCONV_C: CorUnmanagedCallingConvention = CorUnmanagedCallingConvention(1);
pub const IMAGE_CEE_UNMANAGED_CALLCONV_STDCALL: CorUnmanagedCallingConvention =
    CorUnmanagedCallingConvention(2);
pub const IMAGE_CEE_UNMANAGED_CALLCONV_THISCALL: CorUnmanagedCallingConvention =
    CorUnmanagedCallingConvention(3);
pub const IMAGE_CEE_UNMANAGED_CALLCONV_FASTCALL: CorUnmanagedCallingConvention =
    CorUnmanagedCallingConvention(4);
#[repr(transparent)]
/// Calling conventions of native functions.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorUnmanagedCallingConvention(pub u32);
pub const IMAGE_CEE_CS_CALLCONV_DEFAULT: CorCallingConvention = CorCallingConvention(0);
pub const IMAGE_CEE_CS_CALLCONV_C: CorCallingConvention = CorCallingConvention(1);
pub const IMAGE_CEE_CS_CALLCONV_STDCALL: CorCallingConvention = CorCallingConvention(2);
pub const IMAGE_CEE_CS_CALLCONV_THISCALL: CorCallingConvention = CorCallingConvention(3);
pub const IMAGE_CEE_CS_CALLCONV_FASTCALL: CorCallingConvention = CorCallingConvention(4);
pub const IMAGE_CEE_CS_CALLCONV_VARARG: CorCallingConvention = CorCallingConvention(5);
pub const IMAGE_CEE_CS_CALLCONV_FIELD: CorCallingConvention = CorCallingConvention(6);
pub const IMAGE_CEE_CS_CALLCONV_LOCAL_SIG: CorCallingConvention = CorCallingConvention(7);
pub const IMAGE_CEE_CS_CALLCONV_PROPERTY: CorCallingConvention = CorCallingConvention(8);
pub const IMAGE_CEE_CS_CALLCONV_UNMANAGED: CorCallingConvention = CorCallingConvention(9);
pub const IMAGE_CEE_CS_CALLCONV_GENERICINST: CorCallingConvention = CorCallingConvention(0xA);
pub const IMAGE_CEE_CS_CALLCONV_NATIVEVARARG: CorCallingConvention = CorCallingConvention(0xB);
pub const IMAGE_CEE_CS_CALLCONV_MAX: CorCallingConvention = CorCallingConvention(0xC);
pub const IMAGE_CEE_CS_CALLCONV_MASK: CorCallingConvention = CorCallingConvention(0xF);
pub const IMAGE_CEE_CS_CALLCONV_HASTHIS: CorCallingConvention = CorCallingConvention(0x20);
pub const IMAGE_CEE_CS_CALLCONV_EXPLICITTHIS: CorCallingConvention = CorCallingConvention(0x40);
pub const IMAGE_CEE_CS_CALLCONV_GENERIC: CorCallingConvention = CorCallingConvention(0x10);
#[repr(transparent)]
/// First byte of a signature: its kind and flags.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorCallingConvention(pub u32);
pub const IMAGE_CEE_CS_END: CorArgType = CorArgType(0);
pub const IMAGE_CEE_CS_VOID: CorArgType = CorArgType(1);
pub const IMAGE_CEE_CS_I4: CorArgType = CorArgType(2);
pub const IMAGE_CEE_CS_I8: CorArgType = CorArgType(3);
pub const IMAGE_CEE_CS_R4: CorArgType = CorArgType(4);
pub const IMAGE_CEE_CS_R8: CorArgType = CorArgType(5);
pub const IMAGE_CEE_CS_PTR: CorArgType = CorArgType(6);
pub const IMAGE_CEE_CS_OBJECT: CorArgType = CorArgType(7);
pub const IMAGE_CEE_CS_STRUCT4: CorArgType = CorArgType(8);
pub const IMAGE_CEE_CS_STRUCT32: CorArgType = CorArgType(9);
pub const IMAGE_CEE_CS_BYVALUE: CorArgType = CorArgType(0xA);
#[repr(transparent)]
/// Sorts of arguments.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorArgType(pub u32);
pub const NATIVE_TYPE_END: CorNativeType = CorNativeType(0);
pub const NATIVE_TYPE_VOID: CorNativeType = CorNativeType(1);
pub const NATIVE_TYPE_BOOLEAN: CorNativeType = CorNativeType(2);
pub const NATIVE_TYPE_I1: CorNativeType = CorNativeType(3);
pub const NATIVE_TYPE_U1: CorNativeType = CorNativeType(4);
pub const NATIVE_TYPE_I2: CorNativeType = CorNativeType(5);
pub const NATIVE_TYPE_U2: CorNativeType = CorNativeType(6);
pub const NATIVE_TYPE_I4: CorNativeType = CorNativeType(7);
pub const NATIVE_TYPE_U4: CorNativeType = CorNativeType(8);
pub const NATIVE_TYPE_I8: CorNativeType = CorNativeType(9);
pub const NATIVE_TYPE_U8: CorNativeType = CorNativeType(0xA);
pub const NATIVE_TYPE_R4: CorNativeType = CorNativeType(0xB);
pub const NATIVE_TYPE_R8: CorNativeType = CorNativeType(0xC);
pub const NATIVE_TYPE_SYSCHAR: CorNativeType = CorNativeType(0xD);
pub const NATIVE_TYPE_VARIANT: CorNativeType = CorNativeType(0xE);
pub const NATIVE_TYPE_CURRENCY: CorNativeType = CorNativeType(0xF);
pub const NATIVE_TYPE_PTR: CorNativeType = CorNativeType(0x10);
pub const NATIVE_TYPE_DECIMAL: CorNativeType = CorNativeType(0x11);
pub const NATIVE_TYPE_DATE: CorNativeType = CorNativeType(0x12);
pub const NATIVE_TYPE_BSTR: CorNativeType = CorNativeType(0x13);
pub const NATIVE_TYPE_LPSTR: CorNativeType = CorNativeType(0x14);
pub const NATIVE_TYPE_LPWSTR: CorNativeType = CorNativeType(0x15);
pub const NATIVE_TYPE_LPTSTR: CorNativeType = CorNativeType(0x16);
pub const NATIVE_TYPE_FIXEDSYSSTRING: CorNativeType = CorNativeType(0x17);
pub const NATIVE_TYPE_OBJECTREF: CorNativeType = CorNativeType(0x18);
pub const NATIVE_TYPE_IUNKNOWN: CorNativeType = CorNativeType(0x19);
pub const NATIVE_TYPE_IDISPATCH: CorNativeType = CorNativeType(0x1A);
pub const NATIVE_TYPE_STRUCT: CorNativeType = CorNativeType(0x1B);
pub const NATIVE_TYPE_INTF: CorNativeType = CorNativeType(0x1C);
pub const NATIVE_TYPE_SAFEARRAY: CorNativeType = CorNativeType(0x1D);
pub const NATIVE_TYPE_FIXEDARRAY: CorNativeType = CorNativeType(0x1E);
pub const NATIVE_TYPE_INT: CorNativeType = CorNativeType(0x1F);
pub const NATIVE_TYPE_UINT: CorNativeType = CorNativeType(0x20);
pub const NATIVE_TYPE_NESTEDSTRUCT: CorNativeType = CorNativeType(0x21);
pub const NATIVE_TYPE_BYVALSTR: CorNativeType = CorNativeType(0x22);
pub const NATIVE_TYPE_ANSIBSTR: CorNativeType = CorNativeType(0x23);
pub const NATIVE_TYPE_TBSTR: CorNativeType = CorNativeType(0x24);
pub const NATIVE_TYPE_VARIANTBOOL: CorNativeType = CorNativeType(0x25);
pub const NATIVE_TYPE_FUNC: CorNativeType = CorNativeType(0x26);
pub const NATIVE_TYPE_ASANY: CorNativeType = CorNativeType(0x28);
pub const NATIVE_TYPE_ARRAY: CorNativeType = CorNativeType(0x2A);
pub const NATIVE_TYPE_LPSTRUCT: CorNativeType = CorNativeType(0x2B);
pub const NATIVE_TYPE_CUSTOMMARSHALER: CorNativeType = CorNativeType(0x2C);
pub const NATIVE_TYPE_ERROR: CorNativeType = CorNativeType(0x2D);
pub const NATIVE_TYPE_IINSPECTABLE: CorNativeType = CorNativeType(0x2E);
pub const NATIVE_TYPE_HSTRING: CorNativeType = CorNativeType(0x2F);
pub const NATIVE_TYPE_LPUTF8STR: CorNativeType = CorNativeType(0x30);
pub const NATIVE_TYPE_MAX: CorNativeType = CorNativeType(0x50);
#[repr(transparent)]
/// Native types of marshalling.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorNativeType(pub u32);
pub const CorILMethod_Sect_Reserved: CorILMethodSect = CorILMethodSect(0);
pub const CorILMethod_Sect_EHTable: CorILMethodSect = CorILMethodSect(1);
pub const CorILMethod_Sect_OptILTable: CorILMethodSect = CorILMethodSect(2);
pub const CorILMethod_Sect_KindMask: CorILMethodSect = CorILMethodSect(0x3F);
pub const CorILMethod_Sect_FatFormat: CorILMethodSect = CorILMethodSect(0x40);
pub const CorILMethod_Sect_MoreSects: CorILMethodSect = CorILMethodSect(0x80);
#[repr(transparent)]
/// Kinds and flags of sections that follow an IL body.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorILMethodSect(pub u32);
/// Header of a small section that follows an IL body.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct IMAGE_COR_ILMETHOD_SECT_SMALL {
    pub Kind: u8,
    pub DataSize: u8,
}
/// Header of a fat section that follows an IL body.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct IMAGE_COR_ILMETHOD_SECT_FAT {
    pub _bindgen_align: [u32; 0],
    pub _bitfield_1: __BindgenBitfieldUnit<[u8; 4usize]>,
}
impl IMAGE_COR_ILMETHOD_SECT_FAT {
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn Kind(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<0usize, 8u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_Kind(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<0usize, 8u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn Kind_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 4usize]>>::raw_get_const::<0usize, 8u8>(
                ::core::ptr::addr_of!((*this)._bitfield_1),
            ) as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_Kind_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 4usize]>>::raw_set_const::<0usize, 8u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn DataSize(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<8usize, 24u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_DataSize(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<8usize, 24u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn DataSize_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 4usize]>>::raw_get_const::<8usize, 24u8>(
                ::core::ptr::addr_of!((*this)._bitfield_1),
            ) as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_DataSize_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 4usize]>>::raw_set_const::<8usize, 24u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn new_bitfield_1(
        Kind: ::core::ffi::c_uint,
        DataSize: ::core::ffi::c_uint,
    ) -> __BindgenBitfieldUnit<[u8; 4usize]> {
        let mut __bindgen_bitfield_unit: __BindgenBitfieldUnit<[u8; 4usize]> = Default::default();
        __bindgen_bitfield_unit.set_const::<0usize, 8u8>({
            let Kind: u32 = unsafe { ::core::mem::transmute(Kind) };
            Kind as u64
        });
        __bindgen_bitfield_unit.set_const::<8usize, 24u8>({
            let DataSize: u32 = unsafe { ::core::mem::transmute(DataSize) };
            DataSize as u64
        });
        __bindgen_bitfield_unit
    }
}
pub const COR_ILEXCEPTION_CLAUSE_NONE: CorExceptionFlag = CorExceptionFlag(0);
pub const COR_ILEXCEPTION_CLAUSE_OFFSETLEN: CorExceptionFlag = CorExceptionFlag(0);
pub const COR_ILEXCEPTION_CLAUSE_DEPRECATED: CorExceptionFlag = CorExceptionFlag(0);
pub const COR_ILEXCEPTION_CLAUSE_FILTER: CorExceptionFlag = CorExceptionFlag(1);
pub const COR_ILEXCEPTION_CLAUSE_FINALLY: CorExceptionFlag = CorExceptionFlag(2);
pub const COR_ILEXCEPTION_CLAUSE_FAULT: CorExceptionFlag = CorExceptionFlag(4);
pub const COR_ILEXCEPTION_CLAUSE_DUPLICATED: CorExceptionFlag = CorExceptionFlag(8);
#[repr(transparent)]
/// Kinds of exception clauses.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorExceptionFlag(pub u32);
/// Exception clause of a fat section.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct IMAGE_COR_ILMETHOD_SECT_EH_CLAUSE_FAT {
    pub Flags: CorExceptionFlag,
    pub TryOffset: u32,
    pub TryLength: u32,
    pub HandlerOffset: u32,
    pub HandlerLength: u32,
    /// Token of the caught type, or the IL offset of the filter, as the flags say.
    pub ClassTokenOrFilterOffset: u32,
}
/// Fat section of exception clauses; one or more follow.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct IMAGE_COR_ILMETHOD_SECT_EH_FAT {
    pub SectFat: IMAGE_COR_ILMETHOD_SECT_FAT,
    pub Clauses: [IMAGE_COR_ILMETHOD_SECT_EH_CLAUSE_FAT; 1usize],
}
/// Exception clause of a small section.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct IMAGE_COR_ILMETHOD_SECT_EH_CLAUSE_SMALL {
    pub _bitfield_1: __BindgenBitfieldUnit<[u8; 8usize]>,
    /// Token of the caught type, or the IL offset of the filter, as the flags say.
    pub ClassTokenOrFilterOffset: u32,
}
impl IMAGE_COR_ILMETHOD_SECT_EH_CLAUSE_SMALL {
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn Flags(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<0usize, 16u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_Flags(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<0usize, 16u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn Flags_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 8usize]>>::raw_get_const::<0usize, 16u8>(
                ::core::ptr::addr_of!((*this)._bitfield_1),
            ) as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_Flags_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 8usize]>>::raw_set_const::<0usize, 16u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn TryOffset(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<16usize, 16u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_TryOffset(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<16usize, 16u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn TryOffset_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 8usize]>>::raw_get_const::<16usize, 16u8>(
                ::core::ptr::addr_of!((*this)._bitfield_1),
            ) as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_TryOffset_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 8usize]>>::raw_set_const::<16usize, 16u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn TryLength(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<32usize, 8u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_TryLength(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<32usize, 8u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn TryLength_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 8usize]>>::raw_get_const::<32usize, 8u8>(
                ::core::ptr::addr_of!((*this)._bitfield_1),
            ) as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_TryLength_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 8usize]>>::raw_set_const::<32usize, 8u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn HandlerOffset(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<40usize, 16u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_HandlerOffset(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<40usize, 16u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn HandlerOffset_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 8usize]>>::raw_get_const::<40usize, 16u8>(
                ::core::ptr::addr_of!((*this)._bitfield_1),
            ) as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_HandlerOffset_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 8usize]>>::raw_set_const::<40usize, 16u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn HandlerLength(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<56usize, 8u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_HandlerLength(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<56usize, 8u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn HandlerLength_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 8usize]>>::raw_get_const::<56usize, 8u8>(
                ::core::ptr::addr_of!((*this)._bitfield_1),
            ) as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_HandlerLength_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 8usize]>>::raw_set_const::<56usize, 8u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn new_bitfield_1(
        Flags: ::core::ffi::c_uint,
        TryOffset: ::core::ffi::c_uint,
        TryLength: ::core::ffi::c_uint,
        HandlerOffset: ::core::ffi::c_uint,
        HandlerLength: ::core::ffi::c_uint,
    ) -> __BindgenBitfieldUnit<[u8; 8usize]> {
        let mut __bindgen_bitfield_unit: __BindgenBitfieldUnit<[u8; 8usize]> = Default::default();
        __bindgen_bitfield_unit.set_const::<0usize, 16u8>({
            let Flags: u32 = unsafe { ::core::mem::transmute(Flags) };
            Flags as u64
        });
        __bindgen_bitfield_unit.set_const::<16usize, 16u8>({
            let TryOffset: u32 = unsafe { ::core::mem::transmute(TryOffset) };
            TryOffset as u64
        });
        __bindgen_bitfield_unit.set_const::<32usize, 8u8>({
            let TryLength: u32 = unsafe { ::core::mem::transmute(TryLength) };
            TryLength as u64
        });
        __bindgen_bitfield_unit.set_const::<40usize, 16u8>({
            let HandlerOffset: u32 = unsafe { ::core::mem::transmute(HandlerOffset) };
            HandlerOffset as u64
        });
        __bindgen_bitfield_unit.set_const::<56usize, 8u8>({
            let HandlerLength: u32 = unsafe { ::core::mem::transmute(HandlerLength) };
            HandlerLength as u64
        });
        __bindgen_bitfield_unit
    }
}
/// Small section of exception clauses; one or more follow.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct IMAGE_COR_ILMETHOD_SECT_EH_SMALL {
    pub SectSmall: IMAGE_COR_ILMETHOD_SECT_SMALL,
    pub Reserved: u16,
    pub Clauses: [IMAGE_COR_ILMETHOD_SECT_EH_CLAUSE_SMALL; 1usize],
}
/// Section of exception clauses, small or fat.
#[repr(C)]
#[derive(Copy, Clone)]
pub union IMAGE_COR_ILMETHOD_SECT_EH {
    pub Small: IMAGE_COR_ILMETHOD_SECT_EH_SMALL,
    pub Fat: IMAGE_COR_ILMETHOD_SECT_EH_FAT,
}
pub const CorILMethod_InitLocals: CorILMethodFlags = CorILMethodFlags(0x10);
pub const CorILMethod_MoreSects: CorILMethodFlags = CorILMethodFlags(8);
pub const CorILMethod_CompressedIL: CorILMethodFlags = CorILMethodFlags(0x40);
pub const CorILMethod_FormatShift: CorILMethodFlags = CorILMethodFlags(3);
pub const CorILMethod_FormatMask: CorILMethodFlags = CorILMethodFlags(7);
pub const CorILMethod_TinyFormat: CorILMethodFlags = CorILMethodFlags(2);
pub const CorILMethod_SmallFormat: CorILMethodFlags = CorILMethodFlags(0);
pub const CorILMethod_FatFormat: CorILMethodFlags = CorILMethodFlags(3);
pub const CorILMethod_TinyFormat1: CorILMethodFlags = CorILMethodFlags(6);
#[repr(transparent)]
/// Formats and flags of IL bodies.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorILMethodFlags(pub u32);
/// Header of a tiny IL body: format and code size in one byte.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct IMAGE_COR_ILMETHOD_TINY {
    pub Flags_CodeSize: u8,
}
/// Header of a fat IL body. `Size` counts units of four bytes.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct IMAGE_COR_ILMETHOD_FAT {
    pub _bitfield_1: __BindgenBitfieldUnit<[u8; 4usize]>,
    pub CodeSize: u32,
    pub LocalVarSigTok: mdSignature,
}
impl IMAGE_COR_ILMETHOD_FAT {
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn Flags(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<0usize, 12u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_Flags(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<0usize, 12u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn Flags_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 4usize]>>::raw_get_const::<0usize, 12u8>(
                ::core::ptr::addr_of!((*this)._bitfield_1),
            ) as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_Flags_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 4usize]>>::raw_set_const::<0usize, 12u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn Size(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<12usize, 4u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_Size(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<12usize, 4u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn Size_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 4usize]>>::raw_get_const::<12usize, 4u8>(
                ::core::ptr::addr_of!((*this)._bitfield_1),
            ) as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_Size_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 4usize]>>::raw_set_const::<12usize, 4u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn MaxStack(&self) -> ::core::ffi::c_uint {
        unsafe { ::core::mem::transmute(self._bitfield_1.get_const::<16usize, 16u8>() as u32) }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn set_MaxStack(&mut self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            self._bitfield_1.set_const::<16usize, 16u8>(val as u64)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn MaxStack_raw(this: *const Self) -> ::core::ffi::c_uint {
        unsafe {
            ::core::mem::transmute(<__BindgenBitfieldUnit<[u8; 4usize]>>::raw_get_const::<16usize, 16u8>(
                ::core::ptr::addr_of!((*this)._bitfield_1),
            ) as u32)
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub unsafe fn set_MaxStack_raw(this: *mut Self, val: ::core::ffi::c_uint) {
        unsafe {
            let val: u32 = ::core::mem::transmute(val);
            <__BindgenBitfieldUnit<[u8; 4usize]>>::raw_set_const::<16usize, 16u8>(
                ::core::ptr::addr_of_mut!((*this)._bitfield_1),
                val as u64,
            )
        }
    }
    #[inline]
    #[allow(unnecessary_transmutes)]
    pub fn new_bitfield_1(
        Flags: ::core::ffi::c_uint,
        Size: ::core::ffi::c_uint,
        MaxStack: ::core::ffi::c_uint,
    ) -> __BindgenBitfieldUnit<[u8; 4usize]> {
        let mut __bindgen_bitfield_unit: __BindgenBitfieldUnit<[u8; 4usize]> = Default::default();
        __bindgen_bitfield_unit.set_const::<0usize, 12u8>({
            let Flags: u32 = unsafe { ::core::mem::transmute(Flags) };
            Flags as u64
        });
        __bindgen_bitfield_unit.set_const::<12usize, 4u8>({
            let Size: u32 = unsafe { ::core::mem::transmute(Size) };
            Size as u64
        });
        __bindgen_bitfield_unit.set_const::<16usize, 16u8>({
            let MaxStack: u32 = unsafe { ::core::mem::transmute(MaxStack) };
            MaxStack as u64
        });
        __bindgen_bitfield_unit
    }
}
/// Header of an IL body, tiny or fat.
#[repr(C)]
#[derive(Copy, Clone)]
pub union IMAGE_COR_ILMETHOD {
    pub Tiny: IMAGE_COR_ILMETHOD_TINY,
    pub Fat: IMAGE_COR_ILMETHOD_FAT,
}
/// Entry of the table of vtable fix-ups.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct IMAGE_COR_VTABLEFIXUP {
    pub RVA: u32,
    pub Count: u16,
    pub Type: u16,
}
pub const MDDupAll: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0xFFFFFFFF);
pub const MDDupENC: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0xFFFFFFFF);
pub const MDNoDupChecks: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0);
pub const MDDupTypeDef: CorCheckDuplicatesFor = CorCheckDuplicatesFor(1);
pub const MDDupInterfaceImpl: CorCheckDuplicatesFor = CorCheckDuplicatesFor(2);
pub const MDDupMethodDef: CorCheckDuplicatesFor = CorCheckDuplicatesFor(4);
pub const MDDupTypeRef: CorCheckDuplicatesFor = CorCheckDuplicatesFor(8);
pub const MDDupMemberRef: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x10);
pub const MDDupCustomAttribute: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x20);
pub const MDDupParamDef: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x40);
pub const MDDupPermission: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x80);
pub const MDDupProperty: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x100);
pub const MDDupEvent: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x200);
pub const MDDupFieldDef: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x400);
pub const MDDupSignature: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x800);
pub const MDDupModuleRef: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x1000);
pub const MDDupTypeSpec: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x2000);
pub const MDDupImplMap: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x4000);
pub const MDDupAssemblyRef: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x8000);
pub const MDDupFile: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x10000);
pub const MDDupExportedType: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x20000);
pub const MDDupManifestResource: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x40000);
pub const MDDupGenericParam: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x80000);
pub const MDDupMethodSpec: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x100000);
pub const MDDupGenericParamConstraint: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x200000);
pub const MDDupAssembly: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x10000000);
pub const MDDupDefault: CorCheckDuplicatesFor = CorCheckDuplicatesFor(0x102818);
#[repr(transparent)]
/// What to check for duplicates on emit.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorCheckDuplicatesFor(pub u32);
pub const MDRefToDefDefault: CorRefToDefCheck = CorRefToDefCheck(3);
pub const MDRefToDefAll: CorRefToDefCheck = CorRefToDefCheck(0xFFFFFFFF);
pub const MDRefToDefNone: CorRefToDefCheck = CorRefToDefCheck(0);
pub const MDTypeRefToDef: CorRefToDefCheck = CorRefToDefCheck(1);
pub const MDMemberRefToDef: CorRefToDefCheck = CorRefToDefCheck(2);
#[repr(transparent)]
/// Which references to turn into definitions on emit.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorRefToDefCheck(pub u32);
pub const MDNotifyDefault: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0xF);
pub const MDNotifyAll: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0xFFFFFFFF);
pub const MDNotifyNone: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0);
pub const MDNotifyMethodDef: CorNotificationForTokenMovement = CorNotificationForTokenMovement(1);
pub const MDNotifyMemberRef: CorNotificationForTokenMovement = CorNotificationForTokenMovement(2);
pub const MDNotifyFieldDef: CorNotificationForTokenMovement = CorNotificationForTokenMovement(4);
pub const MDNotifyTypeRef: CorNotificationForTokenMovement = CorNotificationForTokenMovement(8);
pub const MDNotifyTypeDef: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0x10);
pub const MDNotifyParamDef: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0x20);
pub const MDNotifyInterfaceImpl: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0x40);
pub const MDNotifyProperty: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0x80);
pub const MDNotifyEvent: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0x100);
pub const MDNotifySignature: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0x200);
pub const MDNotifyTypeSpec: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0x400);
pub const MDNotifyCustomAttribute: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0x800);
pub const MDNotifySecurityValue: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0x1000);
pub const MDNotifyPermission: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0x2000);
pub const MDNotifyModuleRef: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0x4000);
pub const MDNotifyNameSpace: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0x8000);
pub const MDNotifyAssemblyRef: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0x1000000);
pub const MDNotifyFile: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0x2000000);
pub const MDNotifyExportedType: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0x4000000);
pub const MDNotifyResource: CorNotificationForTokenMovement = CorNotificationForTokenMovement(0x8000000);
#[repr(transparent)]
/// Which moved tokens to report.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorNotificationForTokenMovement(pub u32);
pub const MDSetENCOn: CorSetENC = CorSetENC(1);
pub const MDSetENCOff: CorSetENC = CorSetENC(2);
pub const MDUpdateENC: CorSetENC = CorSetENC(1);
pub const MDUpdateFull: CorSetENC = CorSetENC(2);
pub const MDUpdateExtension: CorSetENC = CorSetENC(3);
pub const MDUpdateIncremental: CorSetENC = CorSetENC(4);
pub const MDUpdateDelta: CorSetENC = CorSetENC(5);
pub const MDUpdateMask: CorSetENC = CorSetENC(7);
#[repr(transparent)]
/// Modes of update of metadata.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorSetENC(pub u32);
pub const MDErrorOutOfOrderDefault: CorErrorIfEmitOutOfOrder = CorErrorIfEmitOutOfOrder(0);
pub const MDErrorOutOfOrderNone: CorErrorIfEmitOutOfOrder = CorErrorIfEmitOutOfOrder(0);
pub const MDErrorOutOfOrderAll: CorErrorIfEmitOutOfOrder = CorErrorIfEmitOutOfOrder(0xFFFFFFFF);
pub const MDMethodOutOfOrder: CorErrorIfEmitOutOfOrder = CorErrorIfEmitOutOfOrder(1);
pub const MDFieldOutOfOrder: CorErrorIfEmitOutOfOrder = CorErrorIfEmitOutOfOrder(2);
pub const MDParamOutOfOrder: CorErrorIfEmitOutOfOrder = CorErrorIfEmitOutOfOrder(4);
pub const MDPropertyOutOfOrder: CorErrorIfEmitOutOfOrder = CorErrorIfEmitOutOfOrder(8);
pub const MDEventOutOfOrder: CorErrorIfEmitOutOfOrder = CorErrorIfEmitOutOfOrder(0x10);
#[repr(transparent)]
/// Which tokens must be emitted in order.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorErrorIfEmitOutOfOrder(pub u32);
pub const MDImportOptionDefault: CorImportOptions = CorImportOptions(0);
pub const MDImportOptionAll: CorImportOptions = CorImportOptions(0xFFFFFFFF);
pub const MDImportOptionAllTypeDefs: CorImportOptions = CorImportOptions(1);
pub const MDImportOptionAllMethodDefs: CorImportOptions = CorImportOptions(2);
pub const MDImportOptionAllFieldDefs: CorImportOptions = CorImportOptions(4);
pub const MDImportOptionAllProperties: CorImportOptions = CorImportOptions(8);
pub const MDImportOptionAllEvents: CorImportOptions = CorImportOptions(0x10);
pub const MDImportOptionAllCustomAttributes: CorImportOptions = CorImportOptions(0x20);
pub const MDImportOptionAllExportedTypes: CorImportOptions = CorImportOptions(0x40);
#[repr(transparent)]
/// Which deleted items to show on import.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorImportOptions(pub u32);
pub const MDThreadSafetyDefault: CorThreadSafetyOptions = CorThreadSafetyOptions(0);
pub const MDThreadSafetyOff: CorThreadSafetyOptions = CorThreadSafetyOptions(0);
pub const MDThreadSafetyOn: CorThreadSafetyOptions = CorThreadSafetyOptions(1);
#[repr(transparent)]
/// Whether the metadata interfaces lock.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorThreadSafetyOptions(pub u32);
pub const MDAssembly: CorLinkerOptions = CorLinkerOptions(0);
pub const MDNetModule: CorLinkerOptions = CorLinkerOptions(1);
#[repr(transparent)]
/// What a linker makes.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorLinkerOptions(pub u32);
pub const MergeFlagsNone: MergeFlags = MergeFlags(0);
pub const MergeManifest: MergeFlags = MergeFlags(1);
pub const DropMemberRefCAs: MergeFlags = MergeFlags(2);
pub const NoDupCheck: MergeFlags = MergeFlags(4);
pub const MergeExportedTypes: MergeFlags = MergeFlags(8);
#[repr(transparent)]
/// How to merge scopes.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct MergeFlags(pub u32);
pub const MDPreserveLocalRefsNone: CorLocalRefPreservation = CorLocalRefPreservation(0);
pub const MDPreserveLocalTypeRef: CorLocalRefPreservation = CorLocalRefPreservation(1);
pub const MDPreserveLocalMemberRef: CorLocalRefPreservation = CorLocalRefPreservation(2);
#[repr(transparent)]
/// Which references to the own scope to keep on merge.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorLocalRefPreservation(pub u32);
/// A field and its offset in a class.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct COR_FIELD_OFFSET {
    pub ridOfField: mdFieldDef,
    pub ulOffset: u32,
}
pub const mdtModule: CorTokenType = CorTokenType(0);
pub const mdtTypeRef: CorTokenType = CorTokenType(0x1000000);
pub const mdtTypeDef: CorTokenType = CorTokenType(0x2000000);
pub const mdtFieldDef: CorTokenType = CorTokenType(0x4000000);
pub const mdtMethodDef: CorTokenType = CorTokenType(0x6000000);
pub const mdtParamDef: CorTokenType = CorTokenType(0x8000000);
pub const mdtInterfaceImpl: CorTokenType = CorTokenType(0x9000000);
pub const mdtMemberRef: CorTokenType = CorTokenType(0xA000000);
pub const mdtCustomAttribute: CorTokenType = CorTokenType(0xC000000);
pub const mdtPermission: CorTokenType = CorTokenType(0xE000000);
pub const mdtSignature: CorTokenType = CorTokenType(0x11000000);
pub const mdtEvent: CorTokenType = CorTokenType(0x14000000);
pub const mdtProperty: CorTokenType = CorTokenType(0x17000000);
pub const mdtMethodImpl: CorTokenType = CorTokenType(0x19000000);
pub const mdtModuleRef: CorTokenType = CorTokenType(0x1A000000);
pub const mdtTypeSpec: CorTokenType = CorTokenType(0x1B000000);
pub const mdtAssembly: CorTokenType = CorTokenType(0x20000000);
pub const mdtAssemblyRef: CorTokenType = CorTokenType(0x23000000);
pub const mdtFile: CorTokenType = CorTokenType(0x26000000);
pub const mdtExportedType: CorTokenType = CorTokenType(0x27000000);
pub const mdtManifestResource: CorTokenType = CorTokenType(0x28000000);
pub const mdtNestedClass: CorTokenType = CorTokenType(0x29000000);
pub const mdtGenericParam: CorTokenType = CorTokenType(0x2A000000);
pub const mdtMethodSpec: CorTokenType = CorTokenType(0x2B000000);
pub const mdtGenericParamConstraint: CorTokenType = CorTokenType(0x2C000000);
pub const mdtString: CorTokenType = CorTokenType(0x70000000);
pub const mdtName: CorTokenType = CorTokenType(0x71000000);
pub const mdtBaseType: CorTokenType = CorTokenType(0x72000000);
#[repr(transparent)]
/// Tables that tokens point into: the high byte of a token.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorTokenType(pub u32);
pub const ofRead: CorOpenFlags = CorOpenFlags(0);
pub const ofWrite: CorOpenFlags = CorOpenFlags(1);
pub const ofReadWriteMask: CorOpenFlags = CorOpenFlags(1);
pub const ofCopyMemory: CorOpenFlags = CorOpenFlags(2);
pub const ofReadOnly: CorOpenFlags = CorOpenFlags(0x10);
pub const ofTakeOwnership: CorOpenFlags = CorOpenFlags(0x20);
pub const ofNoTypeLib: CorOpenFlags = CorOpenFlags(0x80);
pub const ofNoTransform: CorOpenFlags = CorOpenFlags(0x1000);
pub const ofReserved1: CorOpenFlags = CorOpenFlags(0x100);
pub const ofReserved2: CorOpenFlags = CorOpenFlags(0x200);
pub const ofReserved3: CorOpenFlags = CorOpenFlags(0x400);
pub const ofReserved: CorOpenFlags = CorOpenFlags(0xFFFFEF40);
#[repr(transparent)]
/// How to open a scope.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorOpenFlags(pub u32);
pub const fmFlat: CorFileMapping = CorFileMapping(0);
pub const fmExecutableImage: CorFileMapping = CorFileMapping(1);
#[repr(transparent)]
/// How a file is mapped.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorFileMapping(pub u32);
/// Flags of types, under their older name.
pub use self::CorTypeAttr as CorRegTypeAttr;
/// A metadata enumeration in progress.
pub type HCORENUM = *mut ::core::ffi::c_void;
pub const catAssembly: CorAttributeTargets = CorAttributeTargets(1);
pub const catModule: CorAttributeTargets = CorAttributeTargets(2);
pub const catClass: CorAttributeTargets = CorAttributeTargets(4);
pub const catStruct: CorAttributeTargets = CorAttributeTargets(8);
pub const catEnum: CorAttributeTargets = CorAttributeTargets(0x10);
pub const catConstructor: CorAttributeTargets = CorAttributeTargets(0x20);
pub const catMethod: CorAttributeTargets = CorAttributeTargets(0x40);
pub const catProperty: CorAttributeTargets = CorAttributeTargets(0x80);
pub const catField: CorAttributeTargets = CorAttributeTargets(0x100);
pub const catEvent: CorAttributeTargets = CorAttributeTargets(0x200);
pub const catInterface: CorAttributeTargets = CorAttributeTargets(0x400);
pub const catParameter: CorAttributeTargets = CorAttributeTargets(0x800);
pub const catDelegate: CorAttributeTargets = CorAttributeTargets(0x1000);
pub const catGenericParameter: CorAttributeTargets = CorAttributeTargets(0x4000);
pub const catAll: CorAttributeTargets = CorAttributeTargets(0x5FFF);
pub const catClassMembers: CorAttributeTargets = CorAttributeTargets(0x17FC);
#[repr(transparent)]
/// What custom attributes may apply to.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorAttributeTargets(pub u32);
pub const NGenDefault: NGenHintEnum = NGenHintEnum(0);
pub const NGenEager: NGenHintEnum = NGenHintEnum(1);
pub const NGenLazy: NGenHintEnum = NGenHintEnum(2);
pub const NGenNever: NGenHintEnum = NGenHintEnum(3);
#[repr(transparent)]
/// Hints for native images.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct NGenHintEnum(pub u32);
pub const LoadDefault: LoadHintEnum = LoadHintEnum(0);
pub const LoadAlways: LoadHintEnum = LoadHintEnum(1);
pub const LoadSometimes: LoadHintEnum = LoadHintEnum(2);
pub const LoadNever: LoadHintEnum = LoadHintEnum(3);
#[repr(transparent)]
/// Hints for loading of dependencies.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct LoadHintEnum(pub u32);
pub const cssAccurate: CorSaveSize = CorSaveSize(0);
pub const cssQuick: CorSaveSize = CorSaveSize(1);
pub const cssDiscardTransientCAs: CorSaveSize = CorSaveSize(2);
#[repr(transparent)]
/// How exact a size of saved metadata is to be.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorSaveSize(pub u32);
pub const ntaSizeParamIndexSpecified: NativeTypeArrayFlags = NativeTypeArrayFlags(1);
pub const ntaReserved: NativeTypeArrayFlags = NativeTypeArrayFlags(0xFFFE);
#[repr(transparent)]
/// Flags of marshalled arrays.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct NativeTypeArrayFlags(pub u32);
pub const CORINFO_HFA_ELEM_NONE: CorInfoHFAElemType = CorInfoHFAElemType(0);
pub const CORINFO_HFA_ELEM_FLOAT: CorInfoHFAElemType = CorInfoHFAElemType(1);
pub const CORINFO_HFA_ELEM_DOUBLE: CorInfoHFAElemType = CorInfoHFAElemType(2);
pub const CORINFO_HFA_ELEM_VECTOR64: CorInfoHFAElemType = CorInfoHFAElemType(3);
pub const CORINFO_HFA_ELEM_VECTOR128: CorInfoHFAElemType = CorInfoHFAElemType(4);
#[repr(transparent)]
/// Element types of homogeneous aggregates.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorInfoHFAElemType(pub u32);
pub type PSECURITY_PROPS = *mut ::core::ffi::c_void;
pub type PSECURITY_VALUE = *mut ::core::ffi::c_void;
pub type PPSECURITY_PROPS = *mut *mut ::core::ffi::c_void;
pub type PPSECURITY_VALUE = *mut *mut ::core::ffi::c_void;
/// A security attribute: constructor and blob.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct COR_SECATTR {
    pub tkCtor: mdMemberRef,
    pub pCustomAttribute: *const ::core::ffi::c_void,
    pub cbCustomAttribute: u32,
}
pub type UVCP_CONSTANT = *const ::core::ffi::c_void;
/// Operating system that an assembly names.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct OSINFO {
    pub dwOSPlatformId: DWORD,
    pub dwOSMajorVersion: DWORD,
    pub dwOSMinorVersion: DWORD,
}
/// Version, culture, processors and operating systems of an assembly.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ASSEMBLYMETADATA {
    pub usMajorVersion: USHORT,
    pub usMinorVersion: USHORT,
    pub usBuildNumber: USHORT,
    pub usRevisionNumber: USHORT,
    pub szLocale: LPWSTR,
    pub cbLocale: ULONG,
    pub rProcessor: *mut DWORD,
    pub ulProcessor: ULONG,
    pub rOS: *mut OSINFO,
    pub ulOS: ULONG,
}
pub const ValidatorModuleTypeInvalid: CorValidatorModuleType = CorValidatorModuleType(0);
pub const ValidatorModuleTypeMin: CorValidatorModuleType = CorValidatorModuleType(1);
pub const ValidatorModuleTypePE: CorValidatorModuleType = CorValidatorModuleType(1);
pub const ValidatorModuleTypeObj: CorValidatorModuleType = CorValidatorModuleType(2);
pub const ValidatorModuleTypeEnc: CorValidatorModuleType = CorValidatorModuleType(3);
pub const ValidatorModuleTypeIncr: CorValidatorModuleType = CorValidatorModuleType(4);
pub const ValidatorModuleTypeMax: CorValidatorModuleType = CorValidatorModuleType(4);
#[repr(transparent)]
/// Kinds of modules for a check.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorValidatorModuleType(pub u32);
/// Link of a method to native code.
#[repr(C, packed)]
#[derive(Debug, Copy, Clone)]
pub struct COR_NATIVE_LINK {
    pub m_linkType: BYTE,
    pub m_flags: BYTE,
    pub m_entryPoint: mdMemberRef,
}
pub const nltNone: CorNativeLinkType = CorNativeLinkType(1);
pub const nltAnsi: CorNativeLinkType = CorNativeLinkType(2);
pub const nltUnicode: CorNativeLinkType = CorNativeLinkType(3);
pub const nltAuto: CorNativeLinkType = CorNativeLinkType(4);
pub const nltMaxValue: CorNativeLinkType = CorNativeLinkType(7);
#[repr(transparent)]
/// Character sets of native links.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorNativeLinkType(pub u32);
pub const nlfNone: CorNativeLinkFlags = CorNativeLinkFlags(0);
pub const nlfLastError: CorNativeLinkFlags = CorNativeLinkFlags(1);
pub const nlfNoMangle: CorNativeLinkFlags = CorNativeLinkFlags(2);
pub const nlfMaxValue: CorNativeLinkFlags = CorNativeLinkFlags(3);
#[repr(transparent)]
/// Flags of native links.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorNativeLinkFlags(pub u32);
/// Receives the errors that the metadata engine finds while it works.
#[repr(C)]
pub struct IMetaDataError {
    pub lpVtbl: *const IMetaDataErrorVtbl,
}
/// Methods of `IMetaDataError`: the inherited ones in `base`, then slot 3.
#[repr(C)]
pub struct IMetaDataErrorVtbl {
    pub base: IUnknownVtbl,
    pub OnError:
        unsafe extern "system" fn(This: *mut IMetaDataError, hrError: HRESULT, token: mdToken) -> HRESULT,
}
/// Receives how tokens were renumbered.
#[repr(C)]
pub struct IMapToken {
    pub lpVtbl: *const IMapTokenVtbl,
}
/// Methods of `IMapToken`: the inherited ones in `base`, then slot 3.
#[repr(C)]
pub struct IMapTokenVtbl {
    pub base: IUnknownVtbl,
    pub Map: unsafe extern "system" fn(This: *mut IMapToken, tkImp: mdToken, tkEmit: mdToken) -> HRESULT,
}
/// Opens and creates metadata scopes.
#[repr(C)]
pub struct IMetaDataDispenser {
    pub lpVtbl: *const IMetaDataDispenserVtbl,
}
/// Methods of `IMetaDataDispenser`: the inherited ones in `base`, then slots 3 to 5.
#[repr(C)]
pub struct IMetaDataDispenserVtbl {
    pub base: IUnknownVtbl,
    pub DefineScope: unsafe extern "system" fn(
        This: *mut IMetaDataDispenser,
        rclsid: REFCLSID,
        dwCreateFlags: DWORD,
        riid: REFIID,
        ppIUnk: *mut *mut IUnknown,
    ) -> HRESULT,
    pub OpenScope: unsafe extern "system" fn(
        This: *mut IMetaDataDispenser,
        szScope: LPCWSTR,
        dwOpenFlags: DWORD,
        riid: REFIID,
        ppIUnk: *mut *mut IUnknown,
    ) -> HRESULT,
    pub OpenScopeOnMemory: unsafe extern "system" fn(
        This: *mut IMetaDataDispenser,
        pData: LPCVOID,
        cbData: ULONG,
        dwOpenFlags: DWORD,
        riid: REFIID,
        ppIUnk: *mut *mut IUnknown,
    ) -> HRESULT,
}
/// Writes metadata: types, members, signatures, references.
#[repr(C)]
pub struct IMetaDataEmit {
    pub lpVtbl: *const IMetaDataEmitVtbl,
}
/// Methods of `IMetaDataEmit`: the inherited ones in `base`, then slots 3 to 51.
#[repr(C)]
pub struct IMetaDataEmitVtbl {
    pub base: IUnknownVtbl,
    pub SetModuleProps: unsafe extern "system" fn(This: *mut IMetaDataEmit, szName: LPCWSTR) -> HRESULT,
    pub Save:
        unsafe extern "system" fn(This: *mut IMetaDataEmit, szFile: LPCWSTR, dwSaveFlags: DWORD) -> HRESULT,
    pub SaveToStream: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        pIStream: *mut IStream,
        dwSaveFlags: DWORD,
    ) -> HRESULT,
    pub GetSaveSize: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        fSave: CorSaveSize,
        pdwSaveSize: *mut DWORD,
    ) -> HRESULT,
    pub DefineTypeDef: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        szTypeDef: LPCWSTR,
        dwTypeDefFlags: DWORD,
        tkExtends: mdToken,
        rtkImplements: *mut mdToken,
        ptd: *mut mdTypeDef,
    ) -> HRESULT,
    pub DefineNestedType: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        szTypeDef: LPCWSTR,
        dwTypeDefFlags: DWORD,
        tkExtends: mdToken,
        rtkImplements: *mut mdToken,
        tdEncloser: mdTypeDef,
        ptd: *mut mdTypeDef,
    ) -> HRESULT,
    pub SetHandler: unsafe extern "system" fn(This: *mut IMetaDataEmit, pUnk: *mut IUnknown) -> HRESULT,
    pub DefineMethod: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        td: mdTypeDef,
        szName: LPCWSTR,
        dwMethodFlags: DWORD,
        pvSigBlob: PCCOR_SIGNATURE,
        cbSigBlob: ULONG,
        ulCodeRVA: ULONG,
        dwImplFlags: DWORD,
        pmd: *mut mdMethodDef,
    ) -> HRESULT,
    pub DefineMethodImpl: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        td: mdTypeDef,
        tkBody: mdToken,
        tkDecl: mdToken,
    ) -> HRESULT,
    pub DefineTypeRefByName: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        tkResolutionScope: mdToken,
        szName: LPCWSTR,
        ptr: *mut mdTypeRef,
    ) -> HRESULT,
    pub DefineImportType: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        pAssemImport: *mut IMetaDataAssemblyImport,
        pbHashValue: *const ::core::ffi::c_void,
        cbHashValue: ULONG,
        pImport: *mut IMetaDataImport,
        tdImport: mdTypeDef,
        pAssemEmit: *mut IMetaDataAssemblyEmit,
        ptr: *mut mdTypeRef,
    ) -> HRESULT,
    pub DefineMemberRef: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        tkImport: mdToken,
        szName: LPCWSTR,
        pvSigBlob: PCCOR_SIGNATURE,
        cbSigBlob: ULONG,
        pmr: *mut mdMemberRef,
    ) -> HRESULT,
    pub DefineImportMember: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        pAssemImport: *mut IMetaDataAssemblyImport,
        pbHashValue: *const ::core::ffi::c_void,
        cbHashValue: ULONG,
        pImport: *mut IMetaDataImport,
        mbMember: mdToken,
        pAssemEmit: *mut IMetaDataAssemblyEmit,
        tkParent: mdToken,
        pmr: *mut mdMemberRef,
    ) -> HRESULT,
    pub DefineEvent: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        td: mdTypeDef,
        szEvent: LPCWSTR,
        dwEventFlags: DWORD,
        tkEventType: mdToken,
        mdAddOn: mdMethodDef,
        mdRemoveOn: mdMethodDef,
        mdFire: mdMethodDef,
        rmdOtherMethods: *mut mdMethodDef,
        pmdEvent: *mut mdEvent,
    ) -> HRESULT,
    pub SetClassLayout: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        td: mdTypeDef,
        dwPackSize: DWORD,
        rFieldOffsets: *mut COR_FIELD_OFFSET,
        ulClassSize: ULONG,
    ) -> HRESULT,
    pub DeleteClassLayout: unsafe extern "system" fn(This: *mut IMetaDataEmit, td: mdTypeDef) -> HRESULT,
    pub SetFieldMarshal: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        tk: mdToken,
        pvNativeType: PCCOR_SIGNATURE,
        cbNativeType: ULONG,
    ) -> HRESULT,
    pub DeleteFieldMarshal: unsafe extern "system" fn(This: *mut IMetaDataEmit, tk: mdToken) -> HRESULT,
    pub DefinePermissionSet: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        tk: mdToken,
        dwAction: DWORD,
        pvPermission: *const ::core::ffi::c_void,
        cbPermission: ULONG,
        ppm: *mut mdPermission,
    ) -> HRESULT,
    pub SetRVA: unsafe extern "system" fn(This: *mut IMetaDataEmit, md: mdMethodDef, ulRVA: ULONG) -> HRESULT,
    pub GetTokenFromSig: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        pvSig: PCCOR_SIGNATURE,
        cbSig: ULONG,
        pmsig: *mut mdSignature,
    ) -> HRESULT,
    pub DefineModuleRef: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        szName: LPCWSTR,
        pmur: *mut mdModuleRef,
    ) -> HRESULT,
    pub SetParent:
        unsafe extern "system" fn(This: *mut IMetaDataEmit, mr: mdMemberRef, tk: mdToken) -> HRESULT,
    pub GetTokenFromTypeSpec: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        pvSig: PCCOR_SIGNATURE,
        cbSig: ULONG,
        ptypespec: *mut mdTypeSpec,
    ) -> HRESULT,
    pub SaveToMemory: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        pbData: *mut ::core::ffi::c_void,
        cbData: ULONG,
    ) -> HRESULT,
    pub DefineUserString: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        szString: LPCWSTR,
        cchString: ULONG,
        pstk: *mut mdString,
    ) -> HRESULT,
    pub DeleteToken: unsafe extern "system" fn(This: *mut IMetaDataEmit, tkObj: mdToken) -> HRESULT,
    pub SetMethodProps: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        md: mdMethodDef,
        dwMethodFlags: DWORD,
        ulCodeRVA: ULONG,
        dwImplFlags: DWORD,
    ) -> HRESULT,
    pub SetTypeDefProps: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        td: mdTypeDef,
        dwTypeDefFlags: DWORD,
        tkExtends: mdToken,
        rtkImplements: *mut mdToken,
    ) -> HRESULT,
    pub SetEventProps: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        ev: mdEvent,
        dwEventFlags: DWORD,
        tkEventType: mdToken,
        mdAddOn: mdMethodDef,
        mdRemoveOn: mdMethodDef,
        mdFire: mdMethodDef,
        rmdOtherMethods: *mut mdMethodDef,
    ) -> HRESULT,
    pub SetPermissionSetProps: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        tk: mdToken,
        dwAction: DWORD,
        pvPermission: *const ::core::ffi::c_void,
        cbPermission: ULONG,
        ppm: *mut mdPermission,
    ) -> HRESULT,
    pub DefinePinvokeMap: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        tk: mdToken,
        dwMappingFlags: DWORD,
        szImportName: LPCWSTR,
        mrImportDLL: mdModuleRef,
    ) -> HRESULT,
    pub SetPinvokeMap: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        tk: mdToken,
        dwMappingFlags: DWORD,
        szImportName: LPCWSTR,
        mrImportDLL: mdModuleRef,
    ) -> HRESULT,
    pub DeletePinvokeMap: unsafe extern "system" fn(This: *mut IMetaDataEmit, tk: mdToken) -> HRESULT,
    pub DefineCustomAttribute: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        tkOwner: mdToken,
        tkCtor: mdToken,
        pCustomAttribute: *const ::core::ffi::c_void,
        cbCustomAttribute: ULONG,
        pcv: *mut mdCustomAttribute,
    ) -> HRESULT,
    pub SetCustomAttributeValue: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        pcv: mdCustomAttribute,
        pCustomAttribute: *const ::core::ffi::c_void,
        cbCustomAttribute: ULONG,
    ) -> HRESULT,
    pub DefineField: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        td: mdTypeDef,
        szName: LPCWSTR,
        dwFieldFlags: DWORD,
        pvSigBlob: PCCOR_SIGNATURE,
        cbSigBlob: ULONG,
        dwCPlusTypeFlag: DWORD,
        pValue: *const ::core::ffi::c_void,
        cchValue: ULONG,
        pmd: *mut mdFieldDef,
    ) -> HRESULT,
    pub DefineProperty: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        td: mdTypeDef,
        szProperty: LPCWSTR,
        dwPropFlags: DWORD,
        pvSig: PCCOR_SIGNATURE,
        cbSig: ULONG,
        dwCPlusTypeFlag: DWORD,
        pValue: *const ::core::ffi::c_void,
        cchValue: ULONG,
        mdSetter: mdMethodDef,
        mdGetter: mdMethodDef,
        rmdOtherMethods: *mut mdMethodDef,
        pmdProp: *mut mdProperty,
    ) -> HRESULT,
    pub DefineParam: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        md: mdMethodDef,
        ulParamSeq: ULONG,
        szName: LPCWSTR,
        dwParamFlags: DWORD,
        dwCPlusTypeFlag: DWORD,
        pValue: *const ::core::ffi::c_void,
        cchValue: ULONG,
        ppd: *mut mdParamDef,
    ) -> HRESULT,
    pub SetFieldProps: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        fd: mdFieldDef,
        dwFieldFlags: DWORD,
        dwCPlusTypeFlag: DWORD,
        pValue: *const ::core::ffi::c_void,
        cchValue: ULONG,
    ) -> HRESULT,
    pub SetPropertyProps: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        pr: mdProperty,
        dwPropFlags: DWORD,
        dwCPlusTypeFlag: DWORD,
        pValue: *const ::core::ffi::c_void,
        cchValue: ULONG,
        mdSetter: mdMethodDef,
        mdGetter: mdMethodDef,
        rmdOtherMethods: *mut mdMethodDef,
    ) -> HRESULT,
    pub SetParamProps: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        pd: mdParamDef,
        szName: LPCWSTR,
        dwParamFlags: DWORD,
        dwCPlusTypeFlag: DWORD,
        pValue: *const ::core::ffi::c_void,
        cchValue: ULONG,
    ) -> HRESULT,
    pub DefineSecurityAttributeSet: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        tkObj: mdToken,
        rSecAttrs: *mut COR_SECATTR,
        cSecAttrs: ULONG,
        pulErrorAttr: *mut ULONG,
    ) -> HRESULT,
    pub ApplyEditAndContinue:
        unsafe extern "system" fn(This: *mut IMetaDataEmit, pImport: *mut IUnknown) -> HRESULT,
    pub TranslateSigWithScope: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        pAssemImport: *mut IMetaDataAssemblyImport,
        pbHashValue: *const ::core::ffi::c_void,
        cbHashValue: ULONG,
        import: *mut IMetaDataImport,
        pbSigBlob: PCCOR_SIGNATURE,
        cbSigBlob: ULONG,
        pAssemEmit: *mut IMetaDataAssemblyEmit,
        emit: *mut IMetaDataEmit,
        pvTranslatedSig: PCOR_SIGNATURE,
        cbTranslatedSigMax: ULONG,
        pcbTranslatedSig: *mut ULONG,
    ) -> HRESULT,
    pub SetMethodImplFlags:
        unsafe extern "system" fn(This: *mut IMetaDataEmit, md: mdMethodDef, dwImplFlags: DWORD) -> HRESULT,
    pub SetFieldRVA:
        unsafe extern "system" fn(This: *mut IMetaDataEmit, fd: mdFieldDef, ulRVA: ULONG) -> HRESULT,
    pub Merge: unsafe extern "system" fn(
        This: *mut IMetaDataEmit,
        pImport: *mut IMetaDataImport,
        pHostMapToken: *mut IMapToken,
        pHandler: *mut IUnknown,
    ) -> HRESULT,
    pub MergeEnd: unsafe extern "system" fn(This: *mut IMetaDataEmit) -> HRESULT,
}
/// Writes type parameters, method instantiations, and deltas.
#[repr(C)]
pub struct IMetaDataEmit2 {
    pub lpVtbl: *const IMetaDataEmit2Vtbl,
}
/// Methods of `IMetaDataEmit2`: the inherited ones in `base`, then slots 52 to 59.
#[repr(C)]
pub struct IMetaDataEmit2Vtbl {
    pub base: IMetaDataEmitVtbl,
    pub DefineMethodSpec: unsafe extern "system" fn(
        This: *mut IMetaDataEmit2,
        tkParent: mdToken,
        pvSigBlob: PCCOR_SIGNATURE,
        cbSigBlob: ULONG,
        pmi: *mut mdMethodSpec,
    ) -> HRESULT,
    pub GetDeltaSaveSize: unsafe extern "system" fn(
        This: *mut IMetaDataEmit2,
        fSave: CorSaveSize,
        pdwSaveSize: *mut DWORD,
    ) -> HRESULT,
    pub SaveDelta:
        unsafe extern "system" fn(This: *mut IMetaDataEmit2, szFile: LPCWSTR, dwSaveFlags: DWORD) -> HRESULT,
    pub SaveDeltaToStream: unsafe extern "system" fn(
        This: *mut IMetaDataEmit2,
        pIStream: *mut IStream,
        dwSaveFlags: DWORD,
    ) -> HRESULT,
    pub SaveDeltaToMemory: unsafe extern "system" fn(
        This: *mut IMetaDataEmit2,
        pbData: *mut ::core::ffi::c_void,
        cbData: ULONG,
    ) -> HRESULT,
    pub DefineGenericParam: unsafe extern "system" fn(
        This: *mut IMetaDataEmit2,
        tk: mdToken,
        ulParamSeq: ULONG,
        dwParamFlags: DWORD,
        szname: LPCWSTR,
        reserved: DWORD,
        rtkConstraints: *mut mdToken,
        pgp: *mut mdGenericParam,
    ) -> HRESULT,
    pub SetGenericParamProps: unsafe extern "system" fn(
        This: *mut IMetaDataEmit2,
        gp: mdGenericParam,
        dwParamFlags: DWORD,
        szName: LPCWSTR,
        reserved: DWORD,
        rtkConstraints: *mut mdToken,
    ) -> HRESULT,
    pub ResetENCLog: unsafe extern "system" fn(This: *mut IMetaDataEmit2) -> HRESULT,
}
/// Reads metadata: types, members, signatures, references, attributes.
#[repr(C)]
pub struct IMetaDataImport {
    pub lpVtbl: *const IMetaDataImportVtbl,
}
/// Methods of `IMetaDataImport`: the inherited ones in `base`, then slots 3 to 64.
#[repr(C)]
pub struct IMetaDataImportVtbl {
    pub base: IUnknownVtbl,
    pub CloseEnum: unsafe extern "system" fn(This: *mut IMetaDataImport, hEnum: HCORENUM),
    pub CountEnum: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        hEnum: HCORENUM,
        pulCount: *mut ULONG,
    ) -> HRESULT,
    pub ResetEnum:
        unsafe extern "system" fn(This: *mut IMetaDataImport, hEnum: HCORENUM, ulPos: ULONG) -> HRESULT,
    pub EnumTypeDefs: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        rTypeDefs: *mut mdTypeDef,
        cMax: ULONG,
        pcTypeDefs: *mut ULONG,
    ) -> HRESULT,
    pub EnumInterfaceImpls: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        td: mdTypeDef,
        rImpls: *mut mdInterfaceImpl,
        cMax: ULONG,
        pcImpls: *mut ULONG,
    ) -> HRESULT,
    pub EnumTypeRefs: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        rTypeRefs: *mut mdTypeRef,
        cMax: ULONG,
        pcTypeRefs: *mut ULONG,
    ) -> HRESULT,
    pub FindTypeDefByName: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        szTypeDef: LPCWSTR,
        tkEnclosingClass: mdToken,
        ptd: *mut mdTypeDef,
    ) -> HRESULT,
    pub GetScopeProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        szName: LPWSTR,
        cchName: ULONG,
        pchName: *mut ULONG,
        pmvid: *mut GUID,
    ) -> HRESULT,
    pub GetModuleFromScope:
        unsafe extern "system" fn(This: *mut IMetaDataImport, pmd: *mut mdModule) -> HRESULT,
    pub GetTypeDefProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        td: mdTypeDef,
        szTypeDef: LPWSTR,
        cchTypeDef: ULONG,
        pchTypeDef: *mut ULONG,
        pdwTypeDefFlags: *mut DWORD,
        ptkExtends: *mut mdToken,
    ) -> HRESULT,
    pub GetInterfaceImplProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        iiImpl: mdInterfaceImpl,
        pClass: *mut mdTypeDef,
        ptkIface: *mut mdToken,
    ) -> HRESULT,
    pub GetTypeRefProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        tr: mdTypeRef,
        ptkResolutionScope: *mut mdToken,
        szName: LPWSTR,
        cchName: ULONG,
        pchName: *mut ULONG,
    ) -> HRESULT,
    pub ResolveTypeRef: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        tr: mdTypeRef,
        riid: REFIID,
        ppIScope: *mut *mut IUnknown,
        ptd: *mut mdTypeDef,
    ) -> HRESULT,
    pub EnumMembers: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        cl: mdTypeDef,
        rMembers: *mut mdToken,
        cMax: ULONG,
        pcTokens: *mut ULONG,
    ) -> HRESULT,
    pub EnumMembersWithName: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        cl: mdTypeDef,
        szName: LPCWSTR,
        rMembers: *mut mdToken,
        cMax: ULONG,
        pcTokens: *mut ULONG,
    ) -> HRESULT,
    pub EnumMethods: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        cl: mdTypeDef,
        rMethods: *mut mdMethodDef,
        cMax: ULONG,
        pcTokens: *mut ULONG,
    ) -> HRESULT,
    pub EnumMethodsWithName: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        cl: mdTypeDef,
        szName: LPCWSTR,
        rMethods: *mut mdMethodDef,
        cMax: ULONG,
        pcTokens: *mut ULONG,
    ) -> HRESULT,
    pub EnumFields: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        cl: mdTypeDef,
        rFields: *mut mdFieldDef,
        cMax: ULONG,
        pcTokens: *mut ULONG,
    ) -> HRESULT,
    pub EnumFieldsWithName: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        cl: mdTypeDef,
        szName: LPCWSTR,
        rFields: *mut mdFieldDef,
        cMax: ULONG,
        pcTokens: *mut ULONG,
    ) -> HRESULT,
    pub EnumParams: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        mb: mdMethodDef,
        rParams: *mut mdParamDef,
        cMax: ULONG,
        pcTokens: *mut ULONG,
    ) -> HRESULT,
    pub EnumMemberRefs: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        tkParent: mdToken,
        rMemberRefs: *mut mdMemberRef,
        cMax: ULONG,
        pcTokens: *mut ULONG,
    ) -> HRESULT,
    pub EnumMethodImpls: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        td: mdTypeDef,
        rMethodBody: *mut mdToken,
        rMethodDecl: *mut mdToken,
        cMax: ULONG,
        pcTokens: *mut ULONG,
    ) -> HRESULT,
    pub EnumPermissionSets: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        tk: mdToken,
        dwActions: DWORD,
        rPermission: *mut mdPermission,
        cMax: ULONG,
        pcTokens: *mut ULONG,
    ) -> HRESULT,
    pub FindMember: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        td: mdTypeDef,
        szName: LPCWSTR,
        pvSigBlob: PCCOR_SIGNATURE,
        cbSigBlob: ULONG,
        pmb: *mut mdToken,
    ) -> HRESULT,
    pub FindMethod: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        td: mdTypeDef,
        szName: LPCWSTR,
        pvSigBlob: PCCOR_SIGNATURE,
        cbSigBlob: ULONG,
        pmb: *mut mdMethodDef,
    ) -> HRESULT,
    pub FindField: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        td: mdTypeDef,
        szName: LPCWSTR,
        pvSigBlob: PCCOR_SIGNATURE,
        cbSigBlob: ULONG,
        pmb: *mut mdFieldDef,
    ) -> HRESULT,
    pub FindMemberRef: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        td: mdTypeRef,
        szName: LPCWSTR,
        pvSigBlob: PCCOR_SIGNATURE,
        cbSigBlob: ULONG,
        pmr: *mut mdMemberRef,
    ) -> HRESULT,
    pub GetMethodProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        mb: mdMethodDef,
        pClass: *mut mdTypeDef,
        szMethod: LPWSTR,
        cchMethod: ULONG,
        pchMethod: *mut ULONG,
        pdwAttr: *mut DWORD,
        ppvSigBlob: *mut PCCOR_SIGNATURE,
        pcbSigBlob: *mut ULONG,
        pulCodeRVA: *mut ULONG,
        pdwImplFlags: *mut DWORD,
    ) -> HRESULT,
    pub GetMemberRefProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        mr: mdMemberRef,
        ptk: *mut mdToken,
        szMember: LPWSTR,
        cchMember: ULONG,
        pchMember: *mut ULONG,
        ppvSigBlob: *mut PCCOR_SIGNATURE,
        pbSig: *mut ULONG,
    ) -> HRESULT,
    pub EnumProperties: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        td: mdTypeDef,
        rProperties: *mut mdProperty,
        cMax: ULONG,
        pcProperties: *mut ULONG,
    ) -> HRESULT,
    pub EnumEvents: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        td: mdTypeDef,
        rEvents: *mut mdEvent,
        cMax: ULONG,
        pcEvents: *mut ULONG,
    ) -> HRESULT,
    pub GetEventProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        ev: mdEvent,
        pClass: *mut mdTypeDef,
        szEvent: LPCWSTR,
        cchEvent: ULONG,
        pchEvent: *mut ULONG,
        pdwEventFlags: *mut DWORD,
        ptkEventType: *mut mdToken,
        pmdAddOn: *mut mdMethodDef,
        pmdRemoveOn: *mut mdMethodDef,
        pmdFire: *mut mdMethodDef,
        rmdOtherMethod: *mut mdMethodDef,
        cMax: ULONG,
        pcOtherMethod: *mut ULONG,
    ) -> HRESULT,
    pub EnumMethodSemantics: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        mb: mdMethodDef,
        rEventProp: *mut mdToken,
        cMax: ULONG,
        pcEventProp: *mut ULONG,
    ) -> HRESULT,
    pub GetMethodSemantics: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        mb: mdMethodDef,
        tkEventProp: mdToken,
        pdwSemanticsFlags: *mut DWORD,
    ) -> HRESULT,
    pub GetClassLayout: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        td: mdTypeDef,
        pdwPackSize: *mut DWORD,
        rFieldOffset: *mut COR_FIELD_OFFSET,
        cMax: ULONG,
        pcFieldOffset: *mut ULONG,
        pulClassSize: *mut ULONG,
    ) -> HRESULT,
    pub GetFieldMarshal: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        tk: mdToken,
        ppvNativeType: *mut PCCOR_SIGNATURE,
        pcbNativeType: *mut ULONG,
    ) -> HRESULT,
    pub GetRVA: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        tk: mdToken,
        pulCodeRVA: *mut ULONG,
        pdwImplFlags: *mut DWORD,
    ) -> HRESULT,
    pub GetPermissionSetProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        pm: mdPermission,
        pdwAction: *mut DWORD,
        ppvPermission: *mut *const ::core::ffi::c_void,
        pcbPermission: *mut ULONG,
    ) -> HRESULT,
    pub GetSigFromToken: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        mdSig: mdSignature,
        ppvSig: *mut PCCOR_SIGNATURE,
        pcbSig: *mut ULONG,
    ) -> HRESULT,
    pub GetModuleRefProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        mur: mdModuleRef,
        szName: LPWSTR,
        cchName: ULONG,
        pchName: *mut ULONG,
    ) -> HRESULT,
    pub EnumModuleRefs: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        rModuleRefs: *mut mdModuleRef,
        cmax: ULONG,
        pcModuleRefs: *mut ULONG,
    ) -> HRESULT,
    pub GetTypeSpecFromToken: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        typespec: mdTypeSpec,
        ppvSig: *mut PCCOR_SIGNATURE,
        pcbSig: *mut ULONG,
    ) -> HRESULT,
    pub GetNameFromToken: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        tk: mdToken,
        pszUtf8NamePtr: *mut MDUTF8CSTR,
    ) -> HRESULT,
    pub EnumUnresolvedMethods: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        rMethods: *mut mdToken,
        cMax: ULONG,
        pcTokens: *mut ULONG,
    ) -> HRESULT,
    pub GetUserString: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        stk: mdString,
        szString: LPWSTR,
        cchString: ULONG,
        pchString: *mut ULONG,
    ) -> HRESULT,
    pub GetPinvokeMap: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        tk: mdToken,
        pdwMappingFlags: *mut DWORD,
        szImportName: LPWSTR,
        cchImportName: ULONG,
        pchImportName: *mut ULONG,
        pmrImportDLL: *mut mdModuleRef,
    ) -> HRESULT,
    pub EnumSignatures: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        rSignatures: *mut mdSignature,
        cmax: ULONG,
        pcSignatures: *mut ULONG,
    ) -> HRESULT,
    pub EnumTypeSpecs: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        rTypeSpecs: *mut mdTypeSpec,
        cmax: ULONG,
        pcTypeSpecs: *mut ULONG,
    ) -> HRESULT,
    pub EnumUserStrings: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        rStrings: *mut mdString,
        cmax: ULONG,
        pcStrings: *mut ULONG,
    ) -> HRESULT,
    pub GetParamForMethodIndex: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        md: mdMethodDef,
        ulParamSeq: ULONG,
        ppd: *mut mdParamDef,
    ) -> HRESULT,
    pub EnumCustomAttributes: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        phEnum: *mut HCORENUM,
        tk: mdToken,
        tkType: mdToken,
        rCustomAttributes: *mut mdCustomAttribute,
        cMax: ULONG,
        pcCustomAttributes: *mut ULONG,
    ) -> HRESULT,
    pub GetCustomAttributeProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        cv: mdCustomAttribute,
        ptkObj: *mut mdToken,
        ptkType: *mut mdToken,
        ppBlob: *mut *const ::core::ffi::c_void,
        pcbSize: *mut ULONG,
    ) -> HRESULT,
    pub FindTypeRef: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        tkResolutionScope: mdToken,
        szName: LPCWSTR,
        ptr: *mut mdTypeRef,
    ) -> HRESULT,
    pub GetMemberProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        mb: mdToken,
        pClass: *mut mdTypeDef,
        szMember: LPWSTR,
        cchMember: ULONG,
        pchMember: *mut ULONG,
        pdwAttr: *mut DWORD,
        ppvSigBlob: *mut PCCOR_SIGNATURE,
        pcbSigBlob: *mut ULONG,
        pulCodeRVA: *mut ULONG,
        pdwImplFlags: *mut DWORD,
        pdwCPlusTypeFlag: *mut DWORD,
        ppValue: *mut UVCP_CONSTANT,
        pcchValue: *mut ULONG,
    ) -> HRESULT,
    pub GetFieldProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        mb: mdFieldDef,
        pClass: *mut mdTypeDef,
        szField: LPWSTR,
        cchField: ULONG,
        pchField: *mut ULONG,
        pdwAttr: *mut DWORD,
        ppvSigBlob: *mut PCCOR_SIGNATURE,
        pcbSigBlob: *mut ULONG,
        pdwCPlusTypeFlag: *mut DWORD,
        ppValue: *mut UVCP_CONSTANT,
        pcchValue: *mut ULONG,
    ) -> HRESULT,
    pub GetPropertyProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        prop: mdProperty,
        pClass: *mut mdTypeDef,
        szProperty: LPCWSTR,
        cchProperty: ULONG,
        pchProperty: *mut ULONG,
        pdwPropFlags: *mut DWORD,
        ppvSig: *mut PCCOR_SIGNATURE,
        pbSig: *mut ULONG,
        pdwCPlusTypeFlag: *mut DWORD,
        ppDefaultValue: *mut UVCP_CONSTANT,
        pcchDefaultValue: *mut ULONG,
        pmdSetter: *mut mdMethodDef,
        pmdGetter: *mut mdMethodDef,
        rmdOtherMethod: *mut mdMethodDef,
        cMax: ULONG,
        pcOtherMethod: *mut ULONG,
    ) -> HRESULT,
    pub GetParamProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        tk: mdParamDef,
        pmd: *mut mdMethodDef,
        pulSequence: *mut ULONG,
        szName: LPWSTR,
        cchName: ULONG,
        pchName: *mut ULONG,
        pdwAttr: *mut DWORD,
        pdwCPlusTypeFlag: *mut DWORD,
        ppValue: *mut UVCP_CONSTANT,
        pcchValue: *mut ULONG,
    ) -> HRESULT,
    pub GetCustomAttributeByName: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        tkObj: mdToken,
        szName: LPCWSTR,
        ppData: *mut *const ::core::ffi::c_void,
        pcbData: *mut ULONG,
    ) -> HRESULT,
    pub IsValidToken: unsafe extern "system" fn(This: *mut IMetaDataImport, tk: mdToken) -> BOOL,
    pub GetNestedClassProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        tdNestedClass: mdTypeDef,
        ptdEnclosingClass: *mut mdTypeDef,
    ) -> HRESULT,
    pub GetNativeCallConvFromSig: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        pvSig: *const ::core::ffi::c_void,
        cbSig: ULONG,
        pCallConv: *mut ULONG,
    ) -> HRESULT,
    pub IsGlobal: unsafe extern "system" fn(
        This: *mut IMetaDataImport,
        pd: mdToken,
        pbGlobal: *mut ::core::ffi::c_int,
    ) -> HRESULT,
}
/// Reads type parameters and method instantiations.
#[repr(C)]
pub struct IMetaDataImport2 {
    pub lpVtbl: *const IMetaDataImport2Vtbl,
}
/// Methods of `IMetaDataImport2`: the inherited ones in `base`, then slots 65 to 72.
#[repr(C)]
pub struct IMetaDataImport2Vtbl {
    pub base: IMetaDataImportVtbl,
    pub EnumGenericParams: unsafe extern "system" fn(
        This: *mut IMetaDataImport2,
        phEnum: *mut HCORENUM,
        tk: mdToken,
        rGenericParams: *mut mdGenericParam,
        cMax: ULONG,
        pcGenericParams: *mut ULONG,
    ) -> HRESULT,
    pub GetGenericParamProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport2,
        gp: mdGenericParam,
        pulParamSeq: *mut ULONG,
        pdwParamFlags: *mut DWORD,
        ptOwner: *mut mdToken,
        reserved: *mut DWORD,
        wzname: LPWSTR,
        cchName: ULONG,
        pchName: *mut ULONG,
    ) -> HRESULT,
    pub GetMethodSpecProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport2,
        mi: mdMethodSpec,
        tkParent: *mut mdToken,
        ppvSigBlob: *mut PCCOR_SIGNATURE,
        pcbSigBlob: *mut ULONG,
    ) -> HRESULT,
    pub EnumGenericParamConstraints: unsafe extern "system" fn(
        This: *mut IMetaDataImport2,
        phEnum: *mut HCORENUM,
        tk: mdGenericParam,
        rGenericParamConstraints: *mut mdGenericParamConstraint,
        cMax: ULONG,
        pcGenericParamConstraints: *mut ULONG,
    ) -> HRESULT,
    pub GetGenericParamConstraintProps: unsafe extern "system" fn(
        This: *mut IMetaDataImport2,
        gpc: mdGenericParamConstraint,
        ptGenericParam: *mut mdGenericParam,
        ptkConstraintType: *mut mdToken,
    ) -> HRESULT,
    pub GetPEKind: unsafe extern "system" fn(
        This: *mut IMetaDataImport2,
        pdwPEKind: *mut DWORD,
        pdwMAchine: *mut DWORD,
    ) -> HRESULT,
    pub GetVersionString: unsafe extern "system" fn(
        This: *mut IMetaDataImport2,
        pwzBuf: LPWSTR,
        ccBufSize: DWORD,
        pccBufSize: *mut DWORD,
    ) -> HRESULT,
    pub EnumMethodSpecs: unsafe extern "system" fn(
        This: *mut IMetaDataImport2,
        phEnum: *mut HCORENUM,
        tk: mdToken,
        rMethodSpecs: *mut mdMethodSpec,
        cMax: ULONG,
        pcMethodSpecs: *mut ULONG,
    ) -> HRESULT,
}
/// Marks the tokens that are to be kept.
#[repr(C)]
pub struct IMetaDataFilter {
    pub lpVtbl: *const IMetaDataFilterVtbl,
}
/// Methods of `IMetaDataFilter`: the inherited ones in `base`, then slots 3 to 5.
#[repr(C)]
pub struct IMetaDataFilterVtbl {
    pub base: IUnknownVtbl,
    pub UnmarkAll: unsafe extern "system" fn(This: *mut IMetaDataFilter) -> HRESULT,
    pub MarkToken: unsafe extern "system" fn(This: *mut IMetaDataFilter, tk: mdToken) -> HRESULT,
    pub IsTokenMarked:
        unsafe extern "system" fn(This: *mut IMetaDataFilter, tk: mdToken, pIsMarked: *mut BOOL) -> HRESULT,
}
/// Is asked to mark a token.
#[repr(C)]
pub struct IHostFilter {
    pub lpVtbl: *const IHostFilterVtbl,
}
/// Methods of `IHostFilter`: the inherited ones in `base`, then slot 3.
#[repr(C)]
pub struct IHostFilterVtbl {
    pub base: IUnknownVtbl,
    pub MarkToken: unsafe extern "system" fn(This: *mut IHostFilter, tk: mdToken) -> HRESULT,
}
/// Writes the manifest: assembly, references, files, exported types, resources.
#[repr(C)]
pub struct IMetaDataAssemblyEmit {
    pub lpVtbl: *const IMetaDataAssemblyEmitVtbl,
}
/// Methods of `IMetaDataAssemblyEmit`: the inherited ones in `base`, then slots 3 to 12.
#[repr(C)]
pub struct IMetaDataAssemblyEmitVtbl {
    pub base: IUnknownVtbl,
    pub DefineAssembly: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyEmit,
        pbPublicKey: *const ::core::ffi::c_void,
        cbPublicKey: ULONG,
        ulHashAlgId: ULONG,
        szName: LPCWSTR,
        pMetaData: *const ASSEMBLYMETADATA,
        dwAssemblyFlags: DWORD,
        pma: *mut mdAssembly,
    ) -> HRESULT,
    pub DefineAssemblyRef: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyEmit,
        pbPublicKeyOrToken: *const ::core::ffi::c_void,
        cbPublicKeyOrToken: ULONG,
        szName: LPCWSTR,
        pMetaData: *const ASSEMBLYMETADATA,
        pbHashValue: *const ::core::ffi::c_void,
        cbHashValue: ULONG,
        dwAssemblyRefFlags: DWORD,
        pmdar: *mut mdAssemblyRef,
    ) -> HRESULT,
    pub DefineFile: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyEmit,
        szName: LPCWSTR,
        pbHashValue: *const ::core::ffi::c_void,
        cbHashValue: ULONG,
        dwFileFlags: DWORD,
        pmdf: *mut mdFile,
    ) -> HRESULT,
    pub DefineExportedType: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyEmit,
        szName: LPCWSTR,
        tkImplementation: mdToken,
        tkTypeDef: mdTypeDef,
        dwExportedTypeFlags: DWORD,
        pmdct: *mut mdExportedType,
    ) -> HRESULT,
    pub DefineManifestResource: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyEmit,
        szName: LPCWSTR,
        tkImplementation: mdToken,
        dwOffset: DWORD,
        dwResourceFlags: DWORD,
        pmdmr: *mut mdManifestResource,
    ) -> HRESULT,
    pub SetAssemblyProps: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyEmit,
        pma: mdAssembly,
        pbPublicKey: *const ::core::ffi::c_void,
        cbPublicKey: ULONG,
        ulHashAlgId: ULONG,
        szName: LPCWSTR,
        pMetaData: *const ASSEMBLYMETADATA,
        dwAssemblyFlags: DWORD,
    ) -> HRESULT,
    pub SetAssemblyRefProps: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyEmit,
        ar: mdAssemblyRef,
        pbPublicKeyOrToken: *const ::core::ffi::c_void,
        cbPublicKeyOrToken: ULONG,
        szName: LPCWSTR,
        pMetaData: *const ASSEMBLYMETADATA,
        pbHashValue: *const ::core::ffi::c_void,
        cbHashValue: ULONG,
        dwAssemblyRefFlags: DWORD,
    ) -> HRESULT,
    pub SetFileProps: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyEmit,
        file: mdFile,
        pbHashValue: *const ::core::ffi::c_void,
        cbHashValue: ULONG,
        dwFileFlags: DWORD,
    ) -> HRESULT,
    pub SetExportedTypeProps: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyEmit,
        ct: mdExportedType,
        tkImplementation: mdToken,
        tkTypeDef: mdTypeDef,
        dwExportedTypeFlags: DWORD,
    ) -> HRESULT,
    pub SetManifestResourceProps: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyEmit,
        mr: mdManifestResource,
        tkImplementation: mdToken,
        dwOffset: DWORD,
        dwResourceFlags: DWORD,
    ) -> HRESULT,
}
/// Reads the manifest: assembly, references, files, exported types, resources.
#[repr(C)]
pub struct IMetaDataAssemblyImport {
    pub lpVtbl: *const IMetaDataAssemblyImportVtbl,
}
/// Methods of `IMetaDataAssemblyImport`: the inherited ones in `base`, then slots 3 to 16.
#[repr(C)]
pub struct IMetaDataAssemblyImportVtbl {
    pub base: IUnknownVtbl,
    pub GetAssemblyProps: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyImport,
        mda: mdAssembly,
        ppbPublicKey: *mut *const ::core::ffi::c_void,
        pcbPublicKey: *mut ULONG,
        pulHashAlgId: *mut ULONG,
        szName: LPWSTR,
        cchName: ULONG,
        pchName: *mut ULONG,
        pMetaData: *mut ASSEMBLYMETADATA,
        pdwAssemblyFlags: *mut DWORD,
    ) -> HRESULT,
    pub GetAssemblyRefProps: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyImport,
        mdar: mdAssemblyRef,
        ppbPublicKeyOrToken: *mut *const ::core::ffi::c_void,
        pcbPublicKeyOrToken: *mut ULONG,
        szName: LPWSTR,
        cchName: ULONG,
        pchName: *mut ULONG,
        pMetaData: *mut ASSEMBLYMETADATA,
        ppbHashValue: *mut *const ::core::ffi::c_void,
        pcbHashValue: *mut ULONG,
        pdwAssemblyRefFlags: *mut DWORD,
    ) -> HRESULT,
    pub GetFileProps: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyImport,
        mdf: mdFile,
        szName: LPWSTR,
        cchName: ULONG,
        pchName: *mut ULONG,
        ppbHashValue: *mut *const ::core::ffi::c_void,
        pcbHashValue: *mut ULONG,
        pdwFileFlags: *mut DWORD,
    ) -> HRESULT,
    pub GetExportedTypeProps: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyImport,
        mdct: mdExportedType,
        szName: LPWSTR,
        cchName: ULONG,
        pchName: *mut ULONG,
        ptkImplementation: *mut mdToken,
        ptkTypeDef: *mut mdTypeDef,
        pdwExportedTypeFlags: *mut DWORD,
    ) -> HRESULT,
    pub GetManifestResourceProps: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyImport,
        mdmr: mdManifestResource,
        szName: LPWSTR,
        cchName: ULONG,
        pchName: *mut ULONG,
        ptkImplementation: *mut mdToken,
        pdwOffset: *mut DWORD,
        pdwResourceFlags: *mut DWORD,
    ) -> HRESULT,
    pub EnumAssemblyRefs: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyImport,
        phEnum: *mut HCORENUM,
        rAssemblyRefs: *mut mdAssemblyRef,
        cMax: ULONG,
        pcTokens: *mut ULONG,
    ) -> HRESULT,
    pub EnumFiles: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyImport,
        phEnum: *mut HCORENUM,
        rFiles: *mut mdFile,
        cMax: ULONG,
        pcTokens: *mut ULONG,
    ) -> HRESULT,
    pub EnumExportedTypes: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyImport,
        phEnum: *mut HCORENUM,
        rExportedTypes: *mut mdExportedType,
        cMax: ULONG,
        pcTokens: *mut ULONG,
    ) -> HRESULT,
    pub EnumManifestResources: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyImport,
        phEnum: *mut HCORENUM,
        rManifestResources: *mut mdManifestResource,
        cMax: ULONG,
        pcTokens: *mut ULONG,
    ) -> HRESULT,
    pub GetAssemblyFromScope: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyImport,
        ptkAssembly: *mut mdAssembly,
    ) -> HRESULT,
    pub FindExportedTypeByName: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyImport,
        szName: LPCWSTR,
        mdtExportedType: mdToken,
        ptkExportedType: *mut mdExportedType,
    ) -> HRESULT,
    pub FindManifestResourceByName: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyImport,
        szName: LPCWSTR,
        ptkManifestResource: *mut mdManifestResource,
    ) -> HRESULT,
    pub CloseEnum: unsafe extern "system" fn(This: *mut IMetaDataAssemblyImport, hEnum: HCORENUM),
    pub FindAssembliesByName: unsafe extern "system" fn(
        This: *mut IMetaDataAssemblyImport,
        szAppBase: LPCWSTR,
        szPrivateBin: LPCWSTR,
        szAssemblyName: LPCWSTR,
        ppIUnk: *mut *mut IUnknown,
        cMax: ULONG,
        pcAssemblies: *mut ULONG,
    ) -> HRESULT,
}
/// Checks a scope for consistency.
#[repr(C)]
pub struct IMetaDataValidate {
    pub lpVtbl: *const IMetaDataValidateVtbl,
}
/// Methods of `IMetaDataValidate`: the inherited ones in `base`, then slots 3 to 4.
#[repr(C)]
pub struct IMetaDataValidateVtbl {
    pub base: IUnknownVtbl,
    pub ValidatorInit: unsafe extern "system" fn(
        This: *mut IMetaDataValidate,
        dwModuleType: DWORD,
        pUnk: *mut IUnknown,
    ) -> HRESULT,
    pub ValidateMetaData: unsafe extern "system" fn(This: *mut IMetaDataValidate) -> HRESULT,
}
/// Opens scopes with options, and finds assemblies.
#[repr(C)]
pub struct IMetaDataDispenserEx {
    pub lpVtbl: *const IMetaDataDispenserExVtbl,
}
/// Methods of `IMetaDataDispenserEx`: the inherited ones in `base`, then slots 6 to 11.
#[repr(C)]
pub struct IMetaDataDispenserExVtbl {
    pub base: IMetaDataDispenserVtbl,
    pub SetOption: unsafe extern "system" fn(
        This: *mut IMetaDataDispenserEx,
        optionid: REFGUID,
        value: *const VARIANT,
    ) -> HRESULT,
    pub GetOption: unsafe extern "system" fn(
        This: *mut IMetaDataDispenserEx,
        optionid: REFGUID,
        pvalue: *mut VARIANT,
    ) -> HRESULT,
    pub OpenScopeOnITypeInfo: unsafe extern "system" fn(
        This: *mut IMetaDataDispenserEx,
        pITI: *mut ITypeInfo,
        dwOpenFlags: DWORD,
        riid: REFIID,
        ppIUnk: *mut *mut IUnknown,
    ) -> HRESULT,
    pub GetCORSystemDirectory: unsafe extern "system" fn(
        This: *mut IMetaDataDispenserEx,
        szBuffer: LPWSTR,
        cchBuffer: DWORD,
        pchBuffer: *mut DWORD,
    ) -> HRESULT,
    pub FindAssembly: unsafe extern "system" fn(
        This: *mut IMetaDataDispenserEx,
        szAppBase: LPCWSTR,
        szPrivateBin: LPCWSTR,
        szGlobalBin: LPCWSTR,
        szAssemblyName: LPCWSTR,
        szName: LPCWSTR,
        cchName: ULONG,
        pcName: *mut ULONG,
    ) -> HRESULT,
    pub FindAssemblyModule: unsafe extern "system" fn(
        This: *mut IMetaDataDispenserEx,
        szAppBase: LPCWSTR,
        szPrivateBin: LPCWSTR,
        szGlobalBin: LPCWSTR,
        szAssemblyName: LPCWSTR,
        szModuleName: LPCWSTR,
        szName: LPWSTR,
        cchName: ULONG,
        pcName: *mut ULONG,
    ) -> HRESULT,
}
/// Reads the metadata tables and heaps as they are stored.
#[repr(C)]
pub struct IMetaDataTables {
    pub lpVtbl: *const IMetaDataTablesVtbl,
}
/// Methods of `IMetaDataTables`: the inherited ones in `base`, then slots 3 to 21.
#[repr(C)]
pub struct IMetaDataTablesVtbl {
    pub base: IUnknownVtbl,
    pub GetStringHeapSize:
        unsafe extern "system" fn(This: *mut IMetaDataTables, pcbStrings: *mut ULONG) -> HRESULT,
    pub GetBlobHeapSize:
        unsafe extern "system" fn(This: *mut IMetaDataTables, pcbBlobs: *mut ULONG) -> HRESULT,
    pub GetGuidHeapSize:
        unsafe extern "system" fn(This: *mut IMetaDataTables, pcbGuids: *mut ULONG) -> HRESULT,
    pub GetUserStringHeapSize:
        unsafe extern "system" fn(This: *mut IMetaDataTables, pcbBlobs: *mut ULONG) -> HRESULT,
    pub GetNumTables: unsafe extern "system" fn(This: *mut IMetaDataTables, pcTables: *mut ULONG) -> HRESULT,
    pub GetTableIndex:
        unsafe extern "system" fn(This: *mut IMetaDataTables, token: ULONG, pixTbl: *mut ULONG) -> HRESULT,
    pub GetTableInfo: unsafe extern "system" fn(
        This: *mut IMetaDataTables,
        ixTbl: ULONG,
        pcbRow: *mut ULONG,
        pcRows: *mut ULONG,
        pcCols: *mut ULONG,
        piKey: *mut ULONG,
        ppName: *mut *const ::core::ffi::c_char,
    ) -> HRESULT,
    pub GetColumnInfo: unsafe extern "system" fn(
        This: *mut IMetaDataTables,
        ixTbl: ULONG,
        ixCol: ULONG,
        poCol: *mut ULONG,
        pcbCol: *mut ULONG,
        pType: *mut ULONG,
        ppName: *mut *const ::core::ffi::c_char,
    ) -> HRESULT,
    pub GetCodedTokenInfo: unsafe extern "system" fn(
        This: *mut IMetaDataTables,
        ixCdTkn: ULONG,
        pcTokens: *mut ULONG,
        ppTokens: *mut *mut ULONG,
        ppName: *mut *const ::core::ffi::c_char,
    ) -> HRESULT,
    pub GetRow: unsafe extern "system" fn(
        This: *mut IMetaDataTables,
        ixTbl: ULONG,
        rid: ULONG,
        ppRow: *mut *mut ::core::ffi::c_void,
    ) -> HRESULT,
    pub GetColumn: unsafe extern "system" fn(
        This: *mut IMetaDataTables,
        ixTbl: ULONG,
        ixCol: ULONG,
        rid: ULONG,
        pVal: *mut ULONG,
    ) -> HRESULT,
    pub GetString: unsafe extern "system" fn(
        This: *mut IMetaDataTables,
        ixString: ULONG,
        ppString: *mut *const ::core::ffi::c_char,
    ) -> HRESULT,
    pub GetBlob: unsafe extern "system" fn(
        This: *mut IMetaDataTables,
        ixBlob: ULONG,
        pcbData: *mut ULONG,
        ppData: *mut *const ::core::ffi::c_void,
    ) -> HRESULT,
    pub GetGuid: unsafe extern "system" fn(
        This: *mut IMetaDataTables,
        ixGuid: ULONG,
        ppGUID: *mut *const GUID,
    ) -> HRESULT,
    pub GetUserString: unsafe extern "system" fn(
        This: *mut IMetaDataTables,
        ixUserString: ULONG,
        pcbData: *mut ULONG,
        ppData: *mut *const ::core::ffi::c_void,
    ) -> HRESULT,
    pub GetNextString:
        unsafe extern "system" fn(This: *mut IMetaDataTables, ixString: ULONG, pNext: *mut ULONG) -> HRESULT,
    pub GetNextBlob:
        unsafe extern "system" fn(This: *mut IMetaDataTables, ixBlob: ULONG, pNext: *mut ULONG) -> HRESULT,
    pub GetNextGuid:
        unsafe extern "system" fn(This: *mut IMetaDataTables, ixGuid: ULONG, pNext: *mut ULONG) -> HRESULT,
    pub GetNextUserString: unsafe extern "system" fn(
        This: *mut IMetaDataTables,
        ixUserString: ULONG,
        pNext: *mut ULONG,
    ) -> HRESULT,
}
/// Reads the root and the streams of the stored metadata.
#[repr(C)]
pub struct IMetaDataTables2 {
    pub lpVtbl: *const IMetaDataTables2Vtbl,
}
/// Methods of `IMetaDataTables2`: the inherited ones in `base`, then slots 22 to 23.
#[repr(C)]
pub struct IMetaDataTables2Vtbl {
    pub base: IMetaDataTablesVtbl,
    pub GetMetaDataStorage: unsafe extern "system" fn(
        This: *mut IMetaDataTables2,
        ppvMd: *mut *const ::core::ffi::c_void,
        pcbMd: *mut ULONG,
    ) -> HRESULT,
    pub GetMetaDataStreamInfo: unsafe extern "system" fn(
        This: *mut IMetaDataTables2,
        ix: ULONG,
        ppchName: *mut *const ::core::ffi::c_char,
        ppv: *mut *const ::core::ffi::c_void,
        pcb: *mut ULONG,
    ) -> HRESULT,
}
/// Tells where the metadata is mapped in memory.
#[repr(C)]
pub struct IMetaDataInfo {
    pub lpVtbl: *const IMetaDataInfoVtbl,
}
/// Methods of `IMetaDataInfo`: the inherited ones in `base`, then slot 3.
#[repr(C)]
pub struct IMetaDataInfoVtbl {
    pub base: IUnknownVtbl,
    pub GetFileMapping: unsafe extern "system" fn(
        This: *mut IMetaDataInfo,
        ppvData: *mut *const ::core::ffi::c_void,
        pcbData: *mut ULONGLONG,
        pdwMappingType: *mut DWORD,
    ) -> HRESULT,
}
pub type LPCBYTE = *const BYTE;
pub type LPBYTE = *mut BYTE;
/// Where an IL offset went in a new IL body.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct COR_IL_MAP {
    pub oldOffset: ULONG32,
    pub newOffset: ULONG32,
    pub fAccurate: BOOL,
}
pub const NO_MAPPING: CorDebugIlToNativeMappingTypes = CorDebugIlToNativeMappingTypes(0xFFFFFFFF);
pub const PROLOG: CorDebugIlToNativeMappingTypes = CorDebugIlToNativeMappingTypes(0xFFFFFFFE);
pub const EPILOG: CorDebugIlToNativeMappingTypes = CorDebugIlToNativeMappingTypes(0xFFFFFFFD);
#[repr(transparent)]
/// Native code that has no IL offset.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct CorDebugIlToNativeMappingTypes(pub u32);
/// The native code of an IL offset.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct COR_DEBUG_IL_TO_NATIVE_MAP {
    pub ilOffset: ULONG32,
    pub nativeStartOffset: ULONG32,
    pub nativeEndOffset: ULONG32,
}
pub type ProcessID = UINT_PTR;
/// A loaded assembly.
pub type AssemblyID = UINT_PTR;
/// An application domain.
pub type AppDomainID = UINT_PTR;
/// A loaded module.
pub type ModuleID = UINT_PTR;
/// A type, for one instantiation.
pub type ClassID = UINT_PTR;
/// A managed thread.
pub type ThreadID = UINT_PTR;
pub type ContextID = UINT_PTR;
/// A function, for one instantiation.
pub type FunctionID = UINT_PTR;
/// An object, which the next garbage collection may move.
pub type ObjectID = UINT_PTR;
/// A handle of the garbage collector.
pub type GCHandleID = UINT_PTR;
/// What a hook passes back to ask for details of the call, while it runs.
pub type COR_PRF_ELT_INFO = UINT_PTR;
/// A version of a method's code; 0 is the original.
pub type ReJITID = UINT_PTR;
/// What a hook is given: the function, or what the mapper returned for it.
#[repr(C)]
#[derive(Copy, Clone)]
pub union FunctionIDOrClientID {
    pub functionID: FunctionID,
    pub clientID: UINT_PTR,
}
/// Chooses the id that hooks get for a function, and whether it is hooked.
pub type FunctionIDMapper = ::core::option::Option<
    unsafe extern "system" fn(funcId: FunctionID, pbHookFunction: *mut BOOL) -> UINT_PTR,
>;
/// Like `FunctionIDMapper`, with data of the profiler's.
pub type FunctionIDMapper2 = ::core::option::Option<
    unsafe extern "system" fn(
        funcId: FunctionID,
        clientData: *mut ::core::ffi::c_void,
        pbHookFunction: *mut BOOL,
    ) -> UINT_PTR,
>;
pub const COR_PRF_SNAPSHOT_DEFAULT: COR_PRF_SNAPSHOT_INFO = COR_PRF_SNAPSHOT_INFO(0);
pub const COR_PRF_SNAPSHOT_REGISTER_CONTEXT: COR_PRF_SNAPSHOT_INFO = COR_PRF_SNAPSHOT_INFO(1);
pub const COR_PRF_SNAPSHOT_X86_OPTIMIZED: COR_PRF_SNAPSHOT_INFO = COR_PRF_SNAPSHOT_INFO(2);
#[repr(transparent)]
/// What a stack snapshot reports.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_SNAPSHOT_INFO(pub u32);
/// A frame, while the callback that gave it runs.
pub type COR_PRF_FRAME_INFO = UINT_PTR;
/// A piece of memory that holds arguments or a returned value.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct COR_PRF_FUNCTION_ARGUMENT_RANGE {
    pub startAddress: UINT_PTR,
    pub length: ULONG,
}
/// The arguments of a call: `numRanges` ranges.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct COR_PRF_FUNCTION_ARGUMENT_INFO {
    pub numRanges: ULONG,
    pub totalArgumentSize: ULONG,
    pub ranges: [COR_PRF_FUNCTION_ARGUMENT_RANGE; 1usize],
}
/// A piece of native code.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct COR_PRF_CODE_INFO {
    pub startAddress: UINT_PTR,
    pub size: SIZE_T,
}
pub const COR_PRF_FIELD_NOT_A_STATIC: COR_PRF_STATIC_TYPE = COR_PRF_STATIC_TYPE(0);
pub const COR_PRF_FIELD_APP_DOMAIN_STATIC: COR_PRF_STATIC_TYPE = COR_PRF_STATIC_TYPE(1);
pub const COR_PRF_FIELD_THREAD_STATIC: COR_PRF_STATIC_TYPE = COR_PRF_STATIC_TYPE(2);
pub const COR_PRF_FIELD_CONTEXT_STATIC: COR_PRF_STATIC_TYPE = COR_PRF_STATIC_TYPE(4);
pub const COR_PRF_FIELD_RVA_STATIC: COR_PRF_STATIC_TYPE = COR_PRF_STATIC_TYPE(8);
#[repr(transparent)]
/// Sorts of static fields.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_STATIC_TYPE(pub u32);
/// A function and the version of its code.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct COR_PRF_FUNCTION {
    pub functionId: FunctionID,
    pub reJitId: ReJITID,
}
/// An assembly reference that a profiler adds.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct COR_PRF_ASSEMBLY_REFERENCE_INFO {
    pub pbPublicKeyOrToken: *mut ::core::ffi::c_void,
    pub cbPublicKeyOrToken: ULONG,
    pub szName: LPCWSTR,
    pub pMetaData: *mut ASSEMBLYMETADATA,
    pub pbHashValue: *mut ::core::ffi::c_void,
    pub cbHashValue: ULONG,
    pub dwAssemblyRefFlags: DWORD,
}
/// A method by module and token.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct COR_PRF_METHOD {
    pub moduleId: ModuleID,
    pub methodId: mdMethodDef,
}
pub type FunctionEnter = ::core::option::Option<unsafe extern "system" fn(funcId: FunctionID)>;
pub type FunctionLeave = ::core::option::Option<unsafe extern "system" fn(funcId: FunctionID)>;
pub type FunctionTailcall = ::core::option::Option<unsafe extern "system" fn(funcId: FunctionID)>;
pub type FunctionEnter2 = ::core::option::Option<
    unsafe extern "system" fn(
        funcId: FunctionID,
        clientData: UINT_PTR,
        func: COR_PRF_FRAME_INFO,
        argumentInfo: *mut COR_PRF_FUNCTION_ARGUMENT_INFO,
    ),
>;
pub type FunctionLeave2 = ::core::option::Option<
    unsafe extern "system" fn(
        funcId: FunctionID,
        clientData: UINT_PTR,
        func: COR_PRF_FRAME_INFO,
        retvalRange: *mut COR_PRF_FUNCTION_ARGUMENT_RANGE,
    ),
>;
pub type FunctionTailcall2 = ::core::option::Option<
    unsafe extern "system" fn(funcId: FunctionID, clientData: UINT_PTR, func: COR_PRF_FRAME_INFO),
>;
/// Entry hook. It must save every register that it uses.
pub type FunctionEnter3 =
    ::core::option::Option<unsafe extern "system" fn(functionIDOrClientID: FunctionIDOrClientID)>;
/// Exit hook. It must save every register that it uses.
pub type FunctionLeave3 =
    ::core::option::Option<unsafe extern "system" fn(functionIDOrClientID: FunctionIDOrClientID)>;
/// Tail call hook. It must save every register that it uses.
pub type FunctionTailcall3 =
    ::core::option::Option<unsafe extern "system" fn(functionIDOrClientID: FunctionIDOrClientID)>;
/// Entry hook that can ask for arguments. It must save every register that it uses.
pub type FunctionEnter3WithInfo = ::core::option::Option<
    unsafe extern "system" fn(functionIDOrClientID: FunctionIDOrClientID, eltInfo: COR_PRF_ELT_INFO),
>;
/// Exit hook that can ask for the returned value. It must save every register that it uses.
pub type FunctionLeave3WithInfo = ::core::option::Option<
    unsafe extern "system" fn(functionIDOrClientID: FunctionIDOrClientID, eltInfo: COR_PRF_ELT_INFO),
>;
/// Tail call hook that can ask for the frame. It must save every register that it uses.
pub type FunctionTailcall3WithInfo = ::core::option::Option<
    unsafe extern "system" fn(functionIDOrClientID: FunctionIDOrClientID, eltInfo: COR_PRF_ELT_INFO),
>;
/// Is called for each frame of a snapshot; anything but `S_OK` ends it.
pub type StackSnapshotCallback = ::core::option::Option<
    unsafe extern "system" fn(
        funcId: FunctionID,
        ip: UINT_PTR,
        frameInfo: COR_PRF_FRAME_INFO,
        contextSize: ULONG32,
        context: *mut BYTE,
        clientData: *mut ::core::ffi::c_void,
    ) -> HRESULT,
>;
/// Is called for each reference that an object holds; false ends it.
pub type ObjectReferenceCallback = ::core::option::Option<
    unsafe extern "system" fn(
        root: ObjectID,
        reference: *mut ObjectID,
        clientData: *mut ::core::ffi::c_void,
    ) -> BOOL,
>;
pub const COR_PRF_MONITOR_NONE: COR_PRF_MONITOR = COR_PRF_MONITOR(0);
pub const COR_PRF_MONITOR_FUNCTION_UNLOADS: COR_PRF_MONITOR = COR_PRF_MONITOR(1);
pub const COR_PRF_MONITOR_CLASS_LOADS: COR_PRF_MONITOR = COR_PRF_MONITOR(2);
pub const COR_PRF_MONITOR_MODULE_LOADS: COR_PRF_MONITOR = COR_PRF_MONITOR(4);
pub const COR_PRF_MONITOR_ASSEMBLY_LOADS: COR_PRF_MONITOR = COR_PRF_MONITOR(8);
pub const COR_PRF_MONITOR_APPDOMAIN_LOADS: COR_PRF_MONITOR = COR_PRF_MONITOR(0x10);
pub const COR_PRF_MONITOR_JIT_COMPILATION: COR_PRF_MONITOR = COR_PRF_MONITOR(0x20);
pub const COR_PRF_MONITOR_EXCEPTIONS: COR_PRF_MONITOR = COR_PRF_MONITOR(0x40);
pub const COR_PRF_MONITOR_GC: COR_PRF_MONITOR = COR_PRF_MONITOR(0x80);
pub const COR_PRF_MONITOR_OBJECT_ALLOCATED: COR_PRF_MONITOR = COR_PRF_MONITOR(0x100);
pub const COR_PRF_MONITOR_THREADS: COR_PRF_MONITOR = COR_PRF_MONITOR(0x200);
pub const COR_PRF_MONITOR_REMOTING: COR_PRF_MONITOR = COR_PRF_MONITOR(0x400);
pub const COR_PRF_MONITOR_CODE_TRANSITIONS: COR_PRF_MONITOR = COR_PRF_MONITOR(0x800);
pub const COR_PRF_MONITOR_ENTERLEAVE: COR_PRF_MONITOR = COR_PRF_MONITOR(0x1000);
pub const COR_PRF_MONITOR_CCW: COR_PRF_MONITOR = COR_PRF_MONITOR(0x2000);
pub const COR_PRF_MONITOR_REMOTING_COOKIE: COR_PRF_MONITOR = COR_PRF_MONITOR(0x4400);
pub const COR_PRF_MONITOR_REMOTING_ASYNC: COR_PRF_MONITOR = COR_PRF_MONITOR(0x8400);
pub const COR_PRF_MONITOR_SUSPENDS: COR_PRF_MONITOR = COR_PRF_MONITOR(0x10000);
pub const COR_PRF_MONITOR_CACHE_SEARCHES: COR_PRF_MONITOR = COR_PRF_MONITOR(0x20000);
pub const COR_PRF_ENABLE_REJIT: COR_PRF_MONITOR = COR_PRF_MONITOR(0x40000);
pub const COR_PRF_ENABLE_INPROC_DEBUGGING: COR_PRF_MONITOR = COR_PRF_MONITOR(0x80000);
pub const COR_PRF_ENABLE_JIT_MAPS: COR_PRF_MONITOR = COR_PRF_MONITOR(0x100000);
pub const COR_PRF_DISABLE_INLINING: COR_PRF_MONITOR = COR_PRF_MONITOR(0x200000);
pub const COR_PRF_DISABLE_OPTIMIZATIONS: COR_PRF_MONITOR = COR_PRF_MONITOR(0x400000);
pub const COR_PRF_ENABLE_OBJECT_ALLOCATED: COR_PRF_MONITOR = COR_PRF_MONITOR(0x800000);
pub const COR_PRF_MONITOR_CLR_EXCEPTIONS: COR_PRF_MONITOR = COR_PRF_MONITOR(0x1000000);
pub const COR_PRF_MONITOR_ALL: COR_PRF_MONITOR = COR_PRF_MONITOR(0x107FFFF);
pub const COR_PRF_ENABLE_FUNCTION_ARGS: COR_PRF_MONITOR = COR_PRF_MONITOR(0x2000000);
pub const COR_PRF_ENABLE_FUNCTION_RETVAL: COR_PRF_MONITOR = COR_PRF_MONITOR(0x4000000);
pub const COR_PRF_ENABLE_FRAME_INFO: COR_PRF_MONITOR = COR_PRF_MONITOR(0x8000000);
pub const COR_PRF_ENABLE_STACK_SNAPSHOT: COR_PRF_MONITOR = COR_PRF_MONITOR(0x10000000);
pub const COR_PRF_USE_PROFILE_IMAGES: COR_PRF_MONITOR = COR_PRF_MONITOR(0x20000000);
pub const COR_PRF_DISABLE_TRANSPARENCY_CHECKS_UNDER_FULL_TRUST: COR_PRF_MONITOR = COR_PRF_MONITOR(0x40000000);
pub const COR_PRF_DISABLE_ALL_NGEN_IMAGES: COR_PRF_MONITOR = COR_PRF_MONITOR(0x80000000);
pub const COR_PRF_ALL: COR_PRF_MONITOR = COR_PRF_MONITOR(0x8FFFFFFF);
pub const COR_PRF_REQUIRE_PROFILE_IMAGE: COR_PRF_MONITOR = COR_PRF_MONITOR(0x20001800);
pub const COR_PRF_ALLOWABLE_AFTER_ATTACH: COR_PRF_MONITOR = COR_PRF_MONITOR(0x100502FE);
pub const COR_PRF_ALLOWABLE_NOTIFICATION_PROFILER: COR_PRF_MONITOR = COR_PRF_MONITOR(0xB1E32B7F);
pub const COR_PRF_MONITOR_IMMUTABLE: COR_PRF_MONITOR = COR_PRF_MONITOR(0xEEF8CC00);
#[repr(transparent)]
/// Event mask, low half: what a profiler is told, and what it may do.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_MONITOR(pub u32);
pub const COR_PRF_HIGH_MONITOR_NONE: COR_PRF_HIGH_MONITOR = COR_PRF_HIGH_MONITOR(0);
pub const COR_PRF_HIGH_ADD_ASSEMBLY_REFERENCES: COR_PRF_HIGH_MONITOR = COR_PRF_HIGH_MONITOR(1);
pub const COR_PRF_HIGH_IN_MEMORY_SYMBOLS_UPDATED: COR_PRF_HIGH_MONITOR = COR_PRF_HIGH_MONITOR(2);
pub const COR_PRF_HIGH_MONITOR_DYNAMIC_FUNCTION_UNLOADS: COR_PRF_HIGH_MONITOR = COR_PRF_HIGH_MONITOR(4);
pub const COR_PRF_HIGH_DISABLE_TIERED_COMPILATION: COR_PRF_HIGH_MONITOR = COR_PRF_HIGH_MONITOR(8);
pub const COR_PRF_HIGH_BASIC_GC: COR_PRF_HIGH_MONITOR = COR_PRF_HIGH_MONITOR(0x10);
pub const COR_PRF_HIGH_MONITOR_GC_MOVED_OBJECTS: COR_PRF_HIGH_MONITOR = COR_PRF_HIGH_MONITOR(0x20);
pub const COR_PRF_HIGH_REQUIRE_PROFILE_IMAGE: COR_PRF_HIGH_MONITOR = COR_PRF_HIGH_MONITOR(0);
pub const COR_PRF_HIGH_MONITOR_LARGEOBJECT_ALLOCATED: COR_PRF_HIGH_MONITOR = COR_PRF_HIGH_MONITOR(0x40);
pub const COR_PRF_HIGH_MONITOR_EVENT_PIPE: COR_PRF_HIGH_MONITOR = COR_PRF_HIGH_MONITOR(0x80);
pub const COR_PRF_HIGH_MONITOR_PINNEDOBJECT_ALLOCATED: COR_PRF_HIGH_MONITOR = COR_PRF_HIGH_MONITOR(0x100);
pub const COR_PRF_HIGH_ALLOWABLE_AFTER_ATTACH: COR_PRF_HIGH_MONITOR = COR_PRF_HIGH_MONITOR(0xF6);
pub const COR_PRF_HIGH_ALLOWABLE_NOTIFICATION_PROFILER: COR_PRF_HIGH_MONITOR = COR_PRF_HIGH_MONITOR(0xFE);
pub const COR_PRF_HIGH_MONITOR_IMMUTABLE: COR_PRF_HIGH_MONITOR = COR_PRF_HIGH_MONITOR(8);
#[repr(transparent)]
/// Event mask, high half.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_HIGH_MONITOR(pub u32);
pub const PROFILER_PARENT_UNKNOWN: COR_PRF_MISC = COR_PRF_MISC(0xFFFFFFFD);
pub const PROFILER_GLOBAL_CLASS: COR_PRF_MISC = COR_PRF_MISC(0xFFFFFFFE);
pub const PROFILER_GLOBAL_MODULE: COR_PRF_MISC = COR_PRF_MISC(0xFFFFFFFF);
#[repr(transparent)]
/// Ids with a meaning of their own.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_MISC(pub u32);
pub const COR_PRF_CACHED_FUNCTION_FOUND: COR_PRF_JIT_CACHE = COR_PRF_JIT_CACHE(0);
pub const COR_PRF_CACHED_FUNCTION_NOT_FOUND: COR_PRF_JIT_CACHE = COR_PRF_JIT_CACHE(1);
#[repr(transparent)]
/// Whether a search for precompiled code succeeded.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_JIT_CACHE(pub u32);
pub const COR_PRF_TRANSITION_CALL: COR_PRF_TRANSITION_REASON = COR_PRF_TRANSITION_REASON(0);
pub const COR_PRF_TRANSITION_RETURN: COR_PRF_TRANSITION_REASON = COR_PRF_TRANSITION_REASON(1);
#[repr(transparent)]
/// Whether a transition between managed and native code is a call or a return.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_TRANSITION_REASON(pub u32);
pub const COR_PRF_SUSPEND_OTHER: COR_PRF_SUSPEND_REASON = COR_PRF_SUSPEND_REASON(0);
pub const COR_PRF_SUSPEND_FOR_GC: COR_PRF_SUSPEND_REASON = COR_PRF_SUSPEND_REASON(1);
pub const COR_PRF_SUSPEND_FOR_APPDOMAIN_SHUTDOWN: COR_PRF_SUSPEND_REASON = COR_PRF_SUSPEND_REASON(2);
pub const COR_PRF_SUSPEND_FOR_CODE_PITCHING: COR_PRF_SUSPEND_REASON = COR_PRF_SUSPEND_REASON(3);
pub const COR_PRF_SUSPEND_FOR_SHUTDOWN: COR_PRF_SUSPEND_REASON = COR_PRF_SUSPEND_REASON(4);
pub const COR_PRF_SUSPEND_FOR_INPROC_DEBUGGER: COR_PRF_SUSPEND_REASON = COR_PRF_SUSPEND_REASON(6);
pub const COR_PRF_SUSPEND_FOR_GC_PREP: COR_PRF_SUSPEND_REASON = COR_PRF_SUSPEND_REASON(7);
pub const COR_PRF_SUSPEND_FOR_REJIT: COR_PRF_SUSPEND_REASON = COR_PRF_SUSPEND_REASON(8);
pub const COR_PRF_SUSPEND_FOR_PROFILER: COR_PRF_SUSPEND_REASON = COR_PRF_SUSPEND_REASON(9);
#[repr(transparent)]
/// Why the runtime suspends threads.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_SUSPEND_REASON(pub u32);
pub const COR_PRF_DESKTOP_CLR: COR_PRF_RUNTIME_TYPE = COR_PRF_RUNTIME_TYPE(1);
pub const COR_PRF_CORE_CLR: COR_PRF_RUNTIME_TYPE = COR_PRF_RUNTIME_TYPE(2);
#[repr(transparent)]
/// .NET Framework, or .NET (Core).
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_RUNTIME_TYPE(pub u32);
pub const COR_PRF_REJIT_BLOCK_INLINING: COR_PRF_REJIT_FLAGS = COR_PRF_REJIT_FLAGS(1);
pub const COR_PRF_REJIT_INLINING_CALLBACKS: COR_PRF_REJIT_FLAGS = COR_PRF_REJIT_FLAGS(2);
#[repr(transparent)]
/// Flags of ReJIT with inliners.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_REJIT_FLAGS(pub u32);
/// A provider of events.
pub type EVENTPIPE_PROVIDER = UINT_PTR;
/// An event that a provider defines.
pub type EVENTPIPE_EVENT = UINT_PTR;
/// A session that receives events.
pub type EVENTPIPE_SESSION = UINT64;
pub const COR_PRF_EVENTPIPE_OBJECT: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(1);
pub const COR_PRF_EVENTPIPE_BOOLEAN: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(3);
pub const COR_PRF_EVENTPIPE_CHAR: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(4);
pub const COR_PRF_EVENTPIPE_SBYTE: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(5);
pub const COR_PRF_EVENTPIPE_BYTE: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(6);
pub const COR_PRF_EVENTPIPE_INT16: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(7);
pub const COR_PRF_EVENTPIPE_UINT16: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(8);
pub const COR_PRF_EVENTPIPE_INT32: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(9);
pub const COR_PRF_EVENTPIPE_UINT32: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(0xA);
pub const COR_PRF_EVENTPIPE_INT64: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(0xB);
pub const COR_PRF_EVENTPIPE_UINT64: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(0xC);
pub const COR_PRF_EVENTPIPE_SINGLE: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(0xD);
pub const COR_PRF_EVENTPIPE_DOUBLE: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(0xE);
pub const COR_PRF_EVENTPIPE_DECIMAL: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(0xF);
pub const COR_PRF_EVENTPIPE_DATETIME: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(0x10);
pub const COR_PRF_EVENTPIPE_GUID: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(0x11);
pub const COR_PRF_EVENTPIPE_STRING: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(0x12);
pub const COR_PRF_EVENTPIPE_ARRAY: COR_PRF_EVENTPIPE_PARAM_TYPE = COR_PRF_EVENTPIPE_PARAM_TYPE(0x13);
#[repr(transparent)]
/// Types of parameters of events.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_EVENTPIPE_PARAM_TYPE(pub u32);
pub const COR_PRF_EVENTPIPE_LOGALWAYS: COR_PRF_EVENTPIPE_LEVEL = COR_PRF_EVENTPIPE_LEVEL(0);
pub const COR_PRF_EVENTPIPE_CRITICAL: COR_PRF_EVENTPIPE_LEVEL = COR_PRF_EVENTPIPE_LEVEL(1);
pub const COR_PRF_EVENTPIPE_ERROR: COR_PRF_EVENTPIPE_LEVEL = COR_PRF_EVENTPIPE_LEVEL(2);
pub const COR_PRF_EVENTPIPE_WARNING: COR_PRF_EVENTPIPE_LEVEL = COR_PRF_EVENTPIPE_LEVEL(3);
pub const COR_PRF_EVENTPIPE_INFORMATIONAL: COR_PRF_EVENTPIPE_LEVEL = COR_PRF_EVENTPIPE_LEVEL(4);
pub const COR_PRF_EVENTPIPE_VERBOSE: COR_PRF_EVENTPIPE_LEVEL = COR_PRF_EVENTPIPE_LEVEL(5);
#[repr(transparent)]
/// Levels of events.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_EVENTPIPE_LEVEL(pub u32);
/// What a session wants of a provider.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct COR_PRF_EVENTPIPE_PROVIDER_CONFIG {
    pub providerName: *const WCHAR,
    pub keywords: UINT64,
    pub loggingLevel: UINT32,
    pub filterData: *const WCHAR,
}
/// A parameter of an event.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct COR_PRF_EVENTPIPE_PARAM_DESC {
    pub type_: UINT32,
    pub elementType: UINT32,
    pub name: *const WCHAR,
}
/// A piece of the data of an event.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct COR_PRF_EVENT_DATA {
    pub ptr: UINT64,
    pub size: UINT32,
    pub reserved: UINT32,
}
/// Filter that a session passes to a provider.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct COR_PRF_FILTER_DATA {
    pub Ptr: UINT64,
    pub Size: UINT32,
    pub Type: UINT32,
}
/// Is called when a session enables or disables a provider.
pub type EventPipeProviderCallback = ::core::option::Option<
    unsafe extern "system" fn(
        sourceId: *const UINT8,
        isEnabled: UINT32,
        level: UINT8,
        matchAnyKeywords: UINT64,
        matchAllKeywords: UINT64,
        filterData: *mut COR_PRF_FILTER_DATA,
        callbackData: *mut ::core::ffi::c_void,
    ),
>;
pub const COR_PRF_HANDLE_TYPE_WEAK: COR_PRF_HANDLE_TYPE = COR_PRF_HANDLE_TYPE(1);
pub const COR_PRF_HANDLE_TYPE_STRONG: COR_PRF_HANDLE_TYPE = COR_PRF_HANDLE_TYPE(2);
pub const COR_PRF_HANDLE_TYPE_PINNED: COR_PRF_HANDLE_TYPE = COR_PRF_HANDLE_TYPE(3);
#[repr(transparent)]
/// Sorts of handles.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_HANDLE_TYPE(pub u32);
/// A handle to an object that a profiler created.
pub type ObjectHandleID = *mut *mut ::core::ffi::c_void;
pub const COR_PRF_GC_ROOT_STACK: COR_PRF_GC_ROOT_KIND = COR_PRF_GC_ROOT_KIND(1);
pub const COR_PRF_GC_ROOT_FINALIZER: COR_PRF_GC_ROOT_KIND = COR_PRF_GC_ROOT_KIND(2);
pub const COR_PRF_GC_ROOT_HANDLE: COR_PRF_GC_ROOT_KIND = COR_PRF_GC_ROOT_KIND(3);
pub const COR_PRF_GC_ROOT_OTHER: COR_PRF_GC_ROOT_KIND = COR_PRF_GC_ROOT_KIND(0);
#[repr(transparent)]
/// Where a root is.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_GC_ROOT_KIND(pub u32);
pub const COR_PRF_GC_ROOT_PINNING: COR_PRF_GC_ROOT_FLAGS = COR_PRF_GC_ROOT_FLAGS(1);
pub const COR_PRF_GC_ROOT_WEAKREF: COR_PRF_GC_ROOT_FLAGS = COR_PRF_GC_ROOT_FLAGS(2);
pub const COR_PRF_GC_ROOT_INTERIOR: COR_PRF_GC_ROOT_FLAGS = COR_PRF_GC_ROOT_FLAGS(4);
pub const COR_PRF_GC_ROOT_REFCOUNTED: COR_PRF_GC_ROOT_FLAGS = COR_PRF_GC_ROOT_FLAGS(8);
#[repr(transparent)]
/// Properties of a root.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_GC_ROOT_FLAGS(pub u32);
pub const COR_PRF_FINALIZER_CRITICAL: COR_PRF_FINALIZER_FLAGS = COR_PRF_FINALIZER_FLAGS(1);
#[repr(transparent)]
/// Properties of a finalizer.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_FINALIZER_FLAGS(pub u32);
pub const COR_PRF_GC_GEN_0: COR_PRF_GC_GENERATION = COR_PRF_GC_GENERATION(0);
pub const COR_PRF_GC_GEN_1: COR_PRF_GC_GENERATION = COR_PRF_GC_GENERATION(1);
pub const COR_PRF_GC_GEN_2: COR_PRF_GC_GENERATION = COR_PRF_GC_GENERATION(2);
pub const COR_PRF_GC_LARGE_OBJECT_HEAP: COR_PRF_GC_GENERATION = COR_PRF_GC_GENERATION(3);
pub const COR_PRF_GC_PINNED_OBJECT_HEAP: COR_PRF_GC_GENERATION = COR_PRF_GC_GENERATION(4);
#[repr(transparent)]
/// Generations and heaps.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_GC_GENERATION(pub u32);
/// A piece of memory of one generation.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct COR_PRF_GC_GENERATION_RANGE {
    pub generation: COR_PRF_GC_GENERATION,
    pub rangeStart: ObjectID,
    pub rangeLength: UINT_PTR,
    pub rangeLengthReserved: UINT_PTR,
}
/// A piece of memory of objects that are never collected.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct COR_PRF_NONGC_HEAP_RANGE {
    pub rangeStart: ObjectID,
    pub rangeLength: UINT_PTR,
    pub rangeLengthReserved: UINT_PTR,
}
pub const COR_PRF_CLAUSE_NONE: COR_PRF_CLAUSE_TYPE = COR_PRF_CLAUSE_TYPE(0);
pub const COR_PRF_CLAUSE_FILTER: COR_PRF_CLAUSE_TYPE = COR_PRF_CLAUSE_TYPE(1);
pub const COR_PRF_CLAUSE_CATCH: COR_PRF_CLAUSE_TYPE = COR_PRF_CLAUSE_TYPE(2);
pub const COR_PRF_CLAUSE_FINALLY: COR_PRF_CLAUSE_TYPE = COR_PRF_CLAUSE_TYPE(3);
#[repr(transparent)]
/// Kinds of exception clauses that run.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_CLAUSE_TYPE(pub u32);
/// The exception clause that is running.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct COR_PRF_EX_CLAUSE_INFO {
    pub clauseType: COR_PRF_CLAUSE_TYPE,
    pub programCounter: UINT_PTR,
    pub framePointer: UINT_PTR,
    pub shadowStackPointer: UINT_PTR,
}
pub const COR_PRF_GC_INDUCED: COR_PRF_GC_REASON = COR_PRF_GC_REASON(1);
pub const COR_PRF_GC_OTHER: COR_PRF_GC_REASON = COR_PRF_GC_REASON(0);
#[repr(transparent)]
/// Why a garbage collection happens.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_GC_REASON(pub u32);
pub const COR_PRF_MODULE_DISK: COR_PRF_MODULE_FLAGS = COR_PRF_MODULE_FLAGS(1);
pub const COR_PRF_MODULE_NGEN: COR_PRF_MODULE_FLAGS = COR_PRF_MODULE_FLAGS(2);
pub const COR_PRF_MODULE_DYNAMIC: COR_PRF_MODULE_FLAGS = COR_PRF_MODULE_FLAGS(4);
pub const COR_PRF_MODULE_COLLECTIBLE: COR_PRF_MODULE_FLAGS = COR_PRF_MODULE_FLAGS(8);
pub const COR_PRF_MODULE_RESOURCE: COR_PRF_MODULE_FLAGS = COR_PRF_MODULE_FLAGS(0x10);
pub const COR_PRF_MODULE_FLAT_LAYOUT: COR_PRF_MODULE_FLAGS = COR_PRF_MODULE_FLAGS(0x20);
pub const COR_PRF_MODULE_WINDOWS_RUNTIME: COR_PRF_MODULE_FLAGS = COR_PRF_MODULE_FLAGS(0x40);
#[repr(transparent)]
/// Properties of a module.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_MODULE_FLAGS(pub u32);
pub const COR_PRF_CODEGEN_DISABLE_INLINING: COR_PRF_CODEGEN_FLAGS = COR_PRF_CODEGEN_FLAGS(1);
pub const COR_PRF_CODEGEN_DISABLE_ALL_OPTIMIZATIONS: COR_PRF_CODEGEN_FLAGS = COR_PRF_CODEGEN_FLAGS(2);
pub const COR_PRF_CODEGEN_DEBUG_INFO: COR_PRF_CODEGEN_FLAGS = COR_PRF_CODEGEN_FLAGS(3);
#[repr(transparent)]
/// Flags of code that is generated by ReJIT.
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct COR_PRF_CODEGEN_FLAGS(pub u32);
/// Is called for each object of the heap; false ends it.
pub type ObjectCallback = ::core::option::Option<
    unsafe extern "system" fn(objectId: ObjectID, pvData: *mut ::core::ffi::c_void) -> BOOL,
>;
/// What a profiler implements: the runtime calls it when something happens.
#[repr(C)]
pub struct ICorProfilerCallback {
    pub lpVtbl: *const ICorProfilerCallbackVtbl,
}
/// Methods of `ICorProfilerCallback`: the inherited ones in `base`, then slots 3 to 71.
#[repr(C)]
pub struct ICorProfilerCallbackVtbl {
    pub base: IUnknownVtbl,
    pub Initialize: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        pICorProfilerInfoUnk: *mut IUnknown,
    ) -> HRESULT,
    pub Shutdown: unsafe extern "system" fn(This: *mut ICorProfilerCallback) -> HRESULT,
    pub AppDomainCreationStarted:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, appDomainId: AppDomainID) -> HRESULT,
    pub AppDomainCreationFinished: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        appDomainId: AppDomainID,
        hrStatus: HRESULT,
    ) -> HRESULT,
    pub AppDomainShutdownStarted:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, appDomainId: AppDomainID) -> HRESULT,
    pub AppDomainShutdownFinished: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        appDomainId: AppDomainID,
        hrStatus: HRESULT,
    ) -> HRESULT,
    pub AssemblyLoadStarted:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, assemblyId: AssemblyID) -> HRESULT,
    pub AssemblyLoadFinished: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        assemblyId: AssemblyID,
        hrStatus: HRESULT,
    ) -> HRESULT,
    pub AssemblyUnloadStarted:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, assemblyId: AssemblyID) -> HRESULT,
    pub AssemblyUnloadFinished: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        assemblyId: AssemblyID,
        hrStatus: HRESULT,
    ) -> HRESULT,
    pub ModuleLoadStarted:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, moduleId: ModuleID) -> HRESULT,
    pub ModuleLoadFinished: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        moduleId: ModuleID,
        hrStatus: HRESULT,
    ) -> HRESULT,
    pub ModuleUnloadStarted:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, moduleId: ModuleID) -> HRESULT,
    pub ModuleUnloadFinished: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        moduleId: ModuleID,
        hrStatus: HRESULT,
    ) -> HRESULT,
    pub ModuleAttachedToAssembly: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        moduleId: ModuleID,
        AssemblyId: AssemblyID,
    ) -> HRESULT,
    pub ClassLoadStarted:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, classId: ClassID) -> HRESULT,
    pub ClassLoadFinished: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        classId: ClassID,
        hrStatus: HRESULT,
    ) -> HRESULT,
    pub ClassUnloadStarted:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, classId: ClassID) -> HRESULT,
    pub ClassUnloadFinished: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        classId: ClassID,
        hrStatus: HRESULT,
    ) -> HRESULT,
    pub FunctionUnloadStarted:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, functionId: FunctionID) -> HRESULT,
    pub JITCompilationStarted: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        functionId: FunctionID,
        fIsSafeToBlock: BOOL,
    ) -> HRESULT,
    pub JITCompilationFinished: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        functionId: FunctionID,
        hrStatus: HRESULT,
        fIsSafeToBlock: BOOL,
    ) -> HRESULT,
    pub JITCachedFunctionSearchStarted: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        functionId: FunctionID,
        pbUseCachedFunction: *mut BOOL,
    ) -> HRESULT,
    pub JITCachedFunctionSearchFinished: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        functionId: FunctionID,
        result: COR_PRF_JIT_CACHE,
    ) -> HRESULT,
    pub JITFunctionPitched:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, functionId: FunctionID) -> HRESULT,
    pub JITInlining: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        callerId: FunctionID,
        calleeId: FunctionID,
        pfShouldInline: *mut BOOL,
    ) -> HRESULT,
    pub ThreadCreated:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, threadId: ThreadID) -> HRESULT,
    pub ThreadDestroyed:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, threadId: ThreadID) -> HRESULT,
    pub ThreadAssignedToOSThread: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        managedThreadId: ThreadID,
        osThreadId: DWORD,
    ) -> HRESULT,
    pub RemotingClientInvocationStarted:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback) -> HRESULT,
    pub RemotingClientSendingMessage: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        pCookie: *mut GUID,
        fIsAsync: BOOL,
    ) -> HRESULT,
    pub RemotingClientReceivingReply: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        pCookie: *mut GUID,
        fIsAsync: BOOL,
    ) -> HRESULT,
    pub RemotingClientInvocationFinished:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback) -> HRESULT,
    pub RemotingServerReceivingMessage: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        pCookie: *mut GUID,
        fIsAsync: BOOL,
    ) -> HRESULT,
    pub RemotingServerInvocationStarted:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback) -> HRESULT,
    pub RemotingServerInvocationReturned:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback) -> HRESULT,
    pub RemotingServerSendingReply: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        pCookie: *mut GUID,
        fIsAsync: BOOL,
    ) -> HRESULT,
    pub UnmanagedToManagedTransition: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        functionId: FunctionID,
        reason: COR_PRF_TRANSITION_REASON,
    ) -> HRESULT,
    pub ManagedToUnmanagedTransition: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        functionId: FunctionID,
        reason: COR_PRF_TRANSITION_REASON,
    ) -> HRESULT,
    pub RuntimeSuspendStarted: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        suspendReason: COR_PRF_SUSPEND_REASON,
    ) -> HRESULT,
    pub RuntimeSuspendFinished: unsafe extern "system" fn(This: *mut ICorProfilerCallback) -> HRESULT,
    pub RuntimeSuspendAborted: unsafe extern "system" fn(This: *mut ICorProfilerCallback) -> HRESULT,
    pub RuntimeResumeStarted: unsafe extern "system" fn(This: *mut ICorProfilerCallback) -> HRESULT,
    pub RuntimeResumeFinished: unsafe extern "system" fn(This: *mut ICorProfilerCallback) -> HRESULT,
    pub RuntimeThreadSuspended:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, threadId: ThreadID) -> HRESULT,
    pub RuntimeThreadResumed:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, threadId: ThreadID) -> HRESULT,
    pub MovedReferences: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        cMovedObjectIDRanges: ULONG,
        oldObjectIDRangeStart: *mut ObjectID,
        newObjectIDRangeStart: *mut ObjectID,
        cObjectIDRangeLength: *mut ULONG,
    ) -> HRESULT,
    pub ObjectAllocated: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        objectId: ObjectID,
        classId: ClassID,
    ) -> HRESULT,
    pub ObjectsAllocatedByClass: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        cClassCount: ULONG,
        classIds: *mut ClassID,
        cObjects: *mut ULONG,
    ) -> HRESULT,
    pub ObjectReferences: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        objectId: ObjectID,
        classId: ClassID,
        cObjectRefs: ULONG,
        objectRefIds: *mut ObjectID,
    ) -> HRESULT,
    pub RootReferences: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        cRootRefs: ULONG,
        rootRefIds: *mut ObjectID,
    ) -> HRESULT,
    pub ExceptionThrown:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, thrownObjectId: ObjectID) -> HRESULT,
    pub ExceptionSearchFunctionEnter:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, functionId: FunctionID) -> HRESULT,
    pub ExceptionSearchFunctionLeave: unsafe extern "system" fn(This: *mut ICorProfilerCallback) -> HRESULT,
    pub ExceptionSearchFilterEnter:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, functionId: FunctionID) -> HRESULT,
    pub ExceptionSearchFilterLeave: unsafe extern "system" fn(This: *mut ICorProfilerCallback) -> HRESULT,
    pub ExceptionSearchCatcherFound:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, functionId: FunctionID) -> HRESULT,
    pub ExceptionOSHandlerEnter:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, __unused: UINT_PTR) -> HRESULT,
    pub ExceptionOSHandlerLeave:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, __unused: UINT_PTR) -> HRESULT,
    pub ExceptionUnwindFunctionEnter:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, functionId: FunctionID) -> HRESULT,
    pub ExceptionUnwindFunctionLeave: unsafe extern "system" fn(This: *mut ICorProfilerCallback) -> HRESULT,
    pub ExceptionUnwindFinallyEnter:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback, functionId: FunctionID) -> HRESULT,
    pub ExceptionUnwindFinallyLeave: unsafe extern "system" fn(This: *mut ICorProfilerCallback) -> HRESULT,
    pub ExceptionCatcherEnter: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        functionId: FunctionID,
        objectId: ObjectID,
    ) -> HRESULT,
    pub ExceptionCatcherLeave: unsafe extern "system" fn(This: *mut ICorProfilerCallback) -> HRESULT,
    pub COMClassicVTableCreated: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        wrappedClassId: ClassID,
        implementedIID: REFGUID,
        pVTable: *mut ::core::ffi::c_void,
        cSlots: ULONG,
    ) -> HRESULT,
    pub COMClassicVTableDestroyed: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback,
        wrappedClassId: ClassID,
        implementedIID: REFGUID,
        pVTable: *mut ::core::ffi::c_void,
    ) -> HRESULT,
    pub ExceptionCLRCatcherFound: unsafe extern "system" fn(This: *mut ICorProfilerCallback) -> HRESULT,
    pub ExceptionCLRCatcherExecute: unsafe extern "system" fn(This: *mut ICorProfilerCallback) -> HRESULT,
}
/// Adds threads' names, garbage collection details, handles.
#[repr(C)]
pub struct ICorProfilerCallback2 {
    pub lpVtbl: *const ICorProfilerCallback2Vtbl,
}
/// Methods of `ICorProfilerCallback2`: the inherited ones in `base`, then slots 72 to 79.
#[repr(C)]
pub struct ICorProfilerCallback2Vtbl {
    pub base: ICorProfilerCallbackVtbl,
    pub ThreadNameChanged: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback2,
        threadId: ThreadID,
        cchName: ULONG,
        name: *mut WCHAR,
    ) -> HRESULT,
    pub GarbageCollectionStarted: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback2,
        cGenerations: ::core::ffi::c_int,
        generationCollected: *mut BOOL,
        reason: COR_PRF_GC_REASON,
    ) -> HRESULT,
    pub SurvivingReferences: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback2,
        cSurvivingObjectIDRanges: ULONG,
        objectIDRangeStart: *mut ObjectID,
        cObjectIDRangeLength: *mut ULONG,
    ) -> HRESULT,
    pub GarbageCollectionFinished: unsafe extern "system" fn(This: *mut ICorProfilerCallback2) -> HRESULT,
    pub FinalizeableObjectQueued: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback2,
        finalizerFlags: DWORD,
        objectID: ObjectID,
    ) -> HRESULT,
    pub RootReferences2: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback2,
        cRootRefs: ULONG,
        rootRefIds: *mut ObjectID,
        rootKinds: *mut COR_PRF_GC_ROOT_KIND,
        rootFlags: *mut COR_PRF_GC_ROOT_FLAGS,
        rootIds: *mut UINT_PTR,
    ) -> HRESULT,
    pub HandleCreated: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback2,
        handleId: GCHandleID,
        initialObjectId: ObjectID,
    ) -> HRESULT,
    pub HandleDestroyed:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback2, handleId: GCHandleID) -> HRESULT,
}
/// Adds attach and detach.
#[repr(C)]
pub struct ICorProfilerCallback3 {
    pub lpVtbl: *const ICorProfilerCallback3Vtbl,
}
/// Methods of `ICorProfilerCallback3`: the inherited ones in `base`, then slots 80 to 82.
#[repr(C)]
pub struct ICorProfilerCallback3Vtbl {
    pub base: ICorProfilerCallback2Vtbl,
    pub InitializeForAttach: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback3,
        pCorProfilerInfoUnk: *mut IUnknown,
        pvClientData: *mut ::core::ffi::c_void,
        cbClientData: UINT,
    ) -> HRESULT,
    pub ProfilerAttachComplete: unsafe extern "system" fn(This: *mut ICorProfilerCallback3) -> HRESULT,
    pub ProfilerDetachSucceeded: unsafe extern "system" fn(This: *mut ICorProfilerCallback3) -> HRESULT,
}
/// Adds ReJIT, and garbage collection with 64-bit ranges.
#[repr(C)]
pub struct ICorProfilerCallback4 {
    pub lpVtbl: *const ICorProfilerCallback4Vtbl,
}
/// Methods of `ICorProfilerCallback4`: the inherited ones in `base`, then slots 83 to 88.
#[repr(C)]
pub struct ICorProfilerCallback4Vtbl {
    pub base: ICorProfilerCallback3Vtbl,
    pub ReJITCompilationStarted: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback4,
        functionId: FunctionID,
        rejitId: ReJITID,
        fIsSafeToBlock: BOOL,
    ) -> HRESULT,
    pub GetReJITParameters: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback4,
        moduleId: ModuleID,
        methodId: mdMethodDef,
        pFunctionControl: *mut ICorProfilerFunctionControl,
    ) -> HRESULT,
    pub ReJITCompilationFinished: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback4,
        functionId: FunctionID,
        rejitId: ReJITID,
        hrStatus: HRESULT,
        fIsSafeToBlock: BOOL,
    ) -> HRESULT,
    pub ReJITError: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback4,
        moduleId: ModuleID,
        methodId: mdMethodDef,
        functionId: FunctionID,
        hrStatus: HRESULT,
    ) -> HRESULT,
    pub MovedReferences2: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback4,
        cMovedObjectIDRanges: ULONG,
        oldObjectIDRangeStart: *mut ObjectID,
        newObjectIDRangeStart: *mut ObjectID,
        cObjectIDRangeLength: *mut SIZE_T,
    ) -> HRESULT,
    pub SurvivingReferences2: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback4,
        cSurvivingObjectIDRanges: ULONG,
        objectIDRangeStart: *mut ObjectID,
        cObjectIDRangeLength: *mut SIZE_T,
    ) -> HRESULT,
}
/// Adds conditional weak table references.
#[repr(C)]
pub struct ICorProfilerCallback5 {
    pub lpVtbl: *const ICorProfilerCallback5Vtbl,
}
/// Methods of `ICorProfilerCallback5`: the inherited ones in `base`, then slot 89.
#[repr(C)]
pub struct ICorProfilerCallback5Vtbl {
    pub base: ICorProfilerCallback4Vtbl,
    pub ConditionalWeakTableElementReferences: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback5,
        cRootRefs: ULONG,
        keyRefIds: *mut ObjectID,
        valueRefIds: *mut ObjectID,
        rootIds: *mut GCHandleID,
    ) -> HRESULT,
}
/// Adds the question for more assembly references.
#[repr(C)]
pub struct ICorProfilerCallback6 {
    pub lpVtbl: *const ICorProfilerCallback6Vtbl,
}
/// Methods of `ICorProfilerCallback6`: the inherited ones in `base`, then slot 90.
#[repr(C)]
pub struct ICorProfilerCallback6Vtbl {
    pub base: ICorProfilerCallback5Vtbl,
    pub GetAssemblyReferences: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback6,
        wszAssemblyPath: *const WCHAR,
        pAsmRefProvider: *mut ICorProfilerAssemblyReferenceProvider,
    ) -> HRESULT,
}
/// Adds updates of symbols in memory.
#[repr(C)]
pub struct ICorProfilerCallback7 {
    pub lpVtbl: *const ICorProfilerCallback7Vtbl,
}
/// Methods of `ICorProfilerCallback7`: the inherited ones in `base`, then slot 91.
#[repr(C)]
pub struct ICorProfilerCallback7Vtbl {
    pub base: ICorProfilerCallback6Vtbl,
    pub ModuleInMemorySymbolsUpdated:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback7, moduleId: ModuleID) -> HRESULT,
}
/// Adds compilation of dynamic methods.
#[repr(C)]
pub struct ICorProfilerCallback8 {
    pub lpVtbl: *const ICorProfilerCallback8Vtbl,
}
/// Methods of `ICorProfilerCallback8`: the inherited ones in `base`, then slots 92 to 93.
#[repr(C)]
pub struct ICorProfilerCallback8Vtbl {
    pub base: ICorProfilerCallback7Vtbl,
    pub DynamicMethodJITCompilationStarted: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback8,
        functionId: FunctionID,
        fIsSafeToBlock: BOOL,
        pILHeader: LPCBYTE,
        cbILHeader: ULONG,
    ) -> HRESULT,
    pub DynamicMethodJITCompilationFinished: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback8,
        functionId: FunctionID,
        hrStatus: HRESULT,
        fIsSafeToBlock: BOOL,
    ) -> HRESULT,
}
/// Adds unloading of dynamic methods.
#[repr(C)]
pub struct ICorProfilerCallback9 {
    pub lpVtbl: *const ICorProfilerCallback9Vtbl,
}
/// Methods of `ICorProfilerCallback9`: the inherited ones in `base`, then slot 94.
#[repr(C)]
pub struct ICorProfilerCallback9Vtbl {
    pub base: ICorProfilerCallback8Vtbl,
    pub DynamicMethodUnloaded:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback9, functionId: FunctionID) -> HRESULT,
}
/// Adds events of EventPipe.
#[repr(C)]
pub struct ICorProfilerCallback10 {
    pub lpVtbl: *const ICorProfilerCallback10Vtbl,
}
/// Methods of `ICorProfilerCallback10`: the inherited ones in `base`, then slots 95 to 96.
#[repr(C)]
pub struct ICorProfilerCallback10Vtbl {
    pub base: ICorProfilerCallback9Vtbl,
    pub EventPipeEventDelivered: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback10,
        provider: EVENTPIPE_PROVIDER,
        eventId: DWORD,
        eventVersion: DWORD,
        cbMetadataBlob: ULONG,
        metadataBlob: LPCBYTE,
        cbEventData: ULONG,
        eventData: LPCBYTE,
        pActivityId: LPCGUID,
        pRelatedActivityId: LPCGUID,
        eventThread: ThreadID,
        numStackFrames: ULONG,
        stackFrames: *mut UINT_PTR,
    ) -> HRESULT,
    pub EventPipeProviderCreated:
        unsafe extern "system" fn(This: *mut ICorProfilerCallback10, provider: EVENTPIPE_PROVIDER) -> HRESULT,
}
/// Adds the question whether to load as a notification profiler.
#[repr(C)]
pub struct ICorProfilerCallback11 {
    pub lpVtbl: *const ICorProfilerCallback11Vtbl,
}
/// Methods of `ICorProfilerCallback11`: the inherited ones in `base`, then slot 97.
#[repr(C)]
pub struct ICorProfilerCallback11Vtbl {
    pub base: ICorProfilerCallback10Vtbl,
    pub LoadAsNotificationOnly: unsafe extern "system" fn(
        This: *mut ICorProfilerCallback11,
        pbNotificationOnly: *mut BOOL,
    ) -> HRESULT,
}
/// What the runtime offers to a profiler.
#[repr(C)]
pub struct ICorProfilerInfo {
    pub lpVtbl: *const ICorProfilerInfoVtbl,
}
/// Methods of `ICorProfilerInfo`: the inherited ones in `base`, then slots 3 to 35.
#[repr(C)]
pub struct ICorProfilerInfoVtbl {
    pub base: IUnknownVtbl,
    pub GetClassFromObject: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        objectId: ObjectID,
        pClassId: *mut ClassID,
    ) -> HRESULT,
    pub GetClassFromToken: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        moduleId: ModuleID,
        typeDef: mdTypeDef,
        pClassId: *mut ClassID,
    ) -> HRESULT,
    pub GetCodeInfo: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        functionId: FunctionID,
        pStart: *mut LPCBYTE,
        pcSize: *mut ULONG,
    ) -> HRESULT,
    pub GetEventMask:
        unsafe extern "system" fn(This: *mut ICorProfilerInfo, pdwEvents: *mut DWORD) -> HRESULT,
    pub GetFunctionFromIP: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        ip: LPCBYTE,
        pFunctionId: *mut FunctionID,
    ) -> HRESULT,
    pub GetFunctionFromToken: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        moduleId: ModuleID,
        token: mdToken,
        pFunctionId: *mut FunctionID,
    ) -> HRESULT,
    pub GetHandleFromThread: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        threadId: ThreadID,
        phThread: *mut HANDLE,
    ) -> HRESULT,
    pub GetObjectSize: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        objectId: ObjectID,
        pcSize: *mut ULONG,
    ) -> HRESULT,
    pub IsArrayClass: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        classId: ClassID,
        pBaseElemType: *mut CorElementType,
        pBaseClassId: *mut ClassID,
        pcRank: *mut ULONG,
    ) -> HRESULT,
    pub GetThreadInfo: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        threadId: ThreadID,
        pdwWin32ThreadId: *mut DWORD,
    ) -> HRESULT,
    pub GetCurrentThreadID:
        unsafe extern "system" fn(This: *mut ICorProfilerInfo, pThreadId: *mut ThreadID) -> HRESULT,
    pub GetClassIDInfo: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        classId: ClassID,
        pModuleId: *mut ModuleID,
        pTypeDefToken: *mut mdTypeDef,
    ) -> HRESULT,
    pub GetFunctionInfo: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        functionId: FunctionID,
        pClassId: *mut ClassID,
        pModuleId: *mut ModuleID,
        pToken: *mut mdToken,
    ) -> HRESULT,
    pub SetEventMask: unsafe extern "system" fn(This: *mut ICorProfilerInfo, dwEvents: DWORD) -> HRESULT,
    pub SetEnterLeaveFunctionHooks: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        pFuncEnter: FunctionEnter,
        pFuncLeave: FunctionLeave,
        pFuncTailcall: FunctionTailcall,
    ) -> HRESULT,
    pub SetFunctionIDMapper:
        unsafe extern "system" fn(This: *mut ICorProfilerInfo, pFunc: FunctionIDMapper) -> HRESULT,
    pub GetTokenAndMetaDataFromFunction: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        functionId: FunctionID,
        riid: REFIID,
        ppImport: *mut *mut IUnknown,
        pToken: *mut mdToken,
    ) -> HRESULT,
    pub GetModuleInfo: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        moduleId: ModuleID,
        ppBaseLoadAddress: *mut LPCBYTE,
        cchName: ULONG,
        pcchName: *mut ULONG,
        szName: *mut WCHAR,
        pAssemblyId: *mut AssemblyID,
    ) -> HRESULT,
    pub GetModuleMetaData: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        moduleId: ModuleID,
        dwOpenFlags: DWORD,
        riid: REFIID,
        ppOut: *mut *mut IUnknown,
    ) -> HRESULT,
    pub GetILFunctionBody: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        moduleId: ModuleID,
        methodId: mdMethodDef,
        ppMethodHeader: *mut LPCBYTE,
        pcbMethodSize: *mut ULONG,
    ) -> HRESULT,
    pub GetILFunctionBodyAllocator: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        moduleId: ModuleID,
        ppMalloc: *mut *mut IMethodMalloc,
    ) -> HRESULT,
    pub SetILFunctionBody: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        moduleId: ModuleID,
        methodid: mdMethodDef,
        pbNewILMethodHeader: LPCBYTE,
    ) -> HRESULT,
    pub GetAppDomainInfo: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        appDomainId: AppDomainID,
        cchName: ULONG,
        pcchName: *mut ULONG,
        szName: *mut WCHAR,
        pProcessId: *mut ProcessID,
    ) -> HRESULT,
    pub GetAssemblyInfo: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        assemblyId: AssemblyID,
        cchName: ULONG,
        pcchName: *mut ULONG,
        szName: *mut WCHAR,
        pAppDomainId: *mut AppDomainID,
        pModuleId: *mut ModuleID,
    ) -> HRESULT,
    pub SetFunctionReJIT:
        unsafe extern "system" fn(This: *mut ICorProfilerInfo, functionId: FunctionID) -> HRESULT,
    pub ForceGC: unsafe extern "system" fn(This: *mut ICorProfilerInfo) -> HRESULT,
    pub SetILInstrumentedCodeMap: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        functionId: FunctionID,
        fStartJit: BOOL,
        cILMapEntries: ULONG,
        rgILMapEntries: *mut COR_IL_MAP,
    ) -> HRESULT,
    pub GetInprocInspectionInterface:
        unsafe extern "system" fn(This: *mut ICorProfilerInfo, ppicd: *mut *mut IUnknown) -> HRESULT,
    pub GetInprocInspectionIThisThread:
        unsafe extern "system" fn(This: *mut ICorProfilerInfo, ppicd: *mut *mut IUnknown) -> HRESULT,
    pub GetThreadContext: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        threadId: ThreadID,
        pContextId: *mut ContextID,
    ) -> HRESULT,
    pub BeginInprocDebugging: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        fThisThreadOnly: BOOL,
        pdwProfilerContext: *mut DWORD,
    ) -> HRESULT,
    pub EndInprocDebugging:
        unsafe extern "system" fn(This: *mut ICorProfilerInfo, dwProfilerContext: DWORD) -> HRESULT,
    pub GetILToNativeMapping: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo,
        functionId: FunctionID,
        cMap: ULONG32,
        pcMap: *mut ULONG32,
        map: *mut COR_DEBUG_IL_TO_NATIVE_MAP,
    ) -> HRESULT,
}
/// Adds generics, stack snapshots, layouts, thread statics, hooks with arguments.
#[repr(C)]
pub struct ICorProfilerInfo2 {
    pub lpVtbl: *const ICorProfilerInfo2Vtbl,
}
/// Methods of `ICorProfilerInfo2`: the inherited ones in `base`, then slots 36 to 56.
#[repr(C)]
pub struct ICorProfilerInfo2Vtbl {
    pub base: ICorProfilerInfoVtbl,
    pub DoStackSnapshot: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        thread: ThreadID,
        callback: StackSnapshotCallback,
        infoFlags: ULONG32,
        clientData: *mut ::core::ffi::c_void,
        context: *mut BYTE,
        contextSize: ULONG32,
    ) -> HRESULT,
    pub SetEnterLeaveFunctionHooks2: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        pFuncEnter: FunctionEnter2,
        pFuncLeave: FunctionLeave2,
        pFuncTailcall: FunctionTailcall2,
    ) -> HRESULT,
    pub GetFunctionInfo2: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        funcId: FunctionID,
        frameInfo: COR_PRF_FRAME_INFO,
        pClassId: *mut ClassID,
        pModuleId: *mut ModuleID,
        pToken: *mut mdToken,
        cTypeArgs: ULONG32,
        pcTypeArgs: *mut ULONG32,
        typeArgs: *mut ClassID,
    ) -> HRESULT,
    pub GetStringLayout: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        pBufferLengthOffset: *mut ULONG,
        pStringLengthOffset: *mut ULONG,
        pBufferOffset: *mut ULONG,
    ) -> HRESULT,
    pub GetClassLayout: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        classID: ClassID,
        rFieldOffset: *mut COR_FIELD_OFFSET,
        cFieldOffset: ULONG,
        pcFieldOffset: *mut ULONG,
        pulClassSize: *mut ULONG,
    ) -> HRESULT,
    pub GetClassIDInfo2: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        classId: ClassID,
        pModuleId: *mut ModuleID,
        pTypeDefToken: *mut mdTypeDef,
        pParentClassId: *mut ClassID,
        cNumTypeArgs: ULONG32,
        pcNumTypeArgs: *mut ULONG32,
        typeArgs: *mut ClassID,
    ) -> HRESULT,
    pub GetCodeInfo2: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        functionID: FunctionID,
        cCodeInfos: ULONG32,
        pcCodeInfos: *mut ULONG32,
        codeInfos: *mut COR_PRF_CODE_INFO,
    ) -> HRESULT,
    pub GetClassFromTokenAndTypeArgs: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        moduleID: ModuleID,
        typeDef: mdTypeDef,
        cTypeArgs: ULONG32,
        typeArgs: *mut ClassID,
        pClassID: *mut ClassID,
    ) -> HRESULT,
    pub GetFunctionFromTokenAndTypeArgs: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        moduleID: ModuleID,
        funcDef: mdMethodDef,
        classId: ClassID,
        cTypeArgs: ULONG32,
        typeArgs: *mut ClassID,
        pFunctionID: *mut FunctionID,
    ) -> HRESULT,
    pub EnumModuleFrozenObjects: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        moduleID: ModuleID,
        ppEnum: *mut *mut ICorProfilerObjectEnum,
    ) -> HRESULT,
    pub GetArrayObjectInfo: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        objectId: ObjectID,
        cDimensions: ULONG32,
        pDimensionSizes: *mut ULONG32,
        pDimensionLowerBounds: *mut ::core::ffi::c_int,
        ppData: *mut *mut BYTE,
    ) -> HRESULT,
    pub GetBoxClassLayout: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        classId: ClassID,
        pBufferOffset: *mut ULONG32,
    ) -> HRESULT,
    pub GetThreadAppDomain: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        threadId: ThreadID,
        pAppDomainId: *mut AppDomainID,
    ) -> HRESULT,
    pub GetRVAStaticAddress: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        classId: ClassID,
        fieldToken: mdFieldDef,
        ppAddress: *mut *mut ::core::ffi::c_void,
    ) -> HRESULT,
    pub GetAppDomainStaticAddress: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        classId: ClassID,
        fieldToken: mdFieldDef,
        appDomainId: AppDomainID,
        ppAddress: *mut *mut ::core::ffi::c_void,
    ) -> HRESULT,
    pub GetThreadStaticAddress: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        classId: ClassID,
        fieldToken: mdFieldDef,
        threadId: ThreadID,
        ppAddress: *mut *mut ::core::ffi::c_void,
    ) -> HRESULT,
    pub GetContextStaticAddress: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        classId: ClassID,
        fieldToken: mdFieldDef,
        contextId: ContextID,
        ppAddress: *mut *mut ::core::ffi::c_void,
    ) -> HRESULT,
    pub GetStaticFieldInfo: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        classId: ClassID,
        fieldToken: mdFieldDef,
        pFieldInfo: *mut COR_PRF_STATIC_TYPE,
    ) -> HRESULT,
    pub GetGenerationBounds: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        cObjectRanges: ULONG,
        pcObjectRanges: *mut ULONG,
        ranges: *mut COR_PRF_GC_GENERATION_RANGE,
    ) -> HRESULT,
    pub GetObjectGeneration: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        objectId: ObjectID,
        range: *mut COR_PRF_GC_GENERATION_RANGE,
    ) -> HRESULT,
    pub GetNotifiedExceptionClauseInfo: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo2,
        pinfo: *mut COR_PRF_EX_CLAUSE_INFO,
    ) -> HRESULT,
}
/// Adds attach and detach, hooks with client ids, runtime information.
#[repr(C)]
pub struct ICorProfilerInfo3 {
    pub lpVtbl: *const ICorProfilerInfo3Vtbl,
}
/// Methods of `ICorProfilerInfo3`: the inherited ones in `base`, then slots 57 to 70.
#[repr(C)]
pub struct ICorProfilerInfo3Vtbl {
    pub base: ICorProfilerInfo2Vtbl,
    pub EnumJITedFunctions: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo3,
        ppEnum: *mut *mut ICorProfilerFunctionEnum,
    ) -> HRESULT,
    pub RequestProfilerDetach: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo3,
        dwExpectedCompletionMilliseconds: DWORD,
    ) -> HRESULT,
    pub SetFunctionIDMapper2: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo3,
        pFunc: FunctionIDMapper2,
        clientData: *mut ::core::ffi::c_void,
    ) -> HRESULT,
    pub GetStringLayout2: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo3,
        pStringLengthOffset: *mut ULONG,
        pBufferOffset: *mut ULONG,
    ) -> HRESULT,
    pub SetEnterLeaveFunctionHooks3: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo3,
        pFuncEnter3: FunctionEnter3,
        pFuncLeave3: FunctionLeave3,
        pFuncTailcall3: FunctionTailcall3,
    ) -> HRESULT,
    pub SetEnterLeaveFunctionHooks3WithInfo: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo3,
        pFuncEnter3WithInfo: FunctionEnter3WithInfo,
        pFuncLeave3WithInfo: FunctionLeave3WithInfo,
        pFuncTailcall3WithInfo: FunctionTailcall3WithInfo,
    ) -> HRESULT,
    pub GetFunctionEnter3Info: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo3,
        functionId: FunctionID,
        eltInfo: COR_PRF_ELT_INFO,
        pFrameInfo: *mut COR_PRF_FRAME_INFO,
        pcbArgumentInfo: *mut ULONG,
        pArgumentInfo: *mut COR_PRF_FUNCTION_ARGUMENT_INFO,
    ) -> HRESULT,
    pub GetFunctionLeave3Info: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo3,
        functionId: FunctionID,
        eltInfo: COR_PRF_ELT_INFO,
        pFrameInfo: *mut COR_PRF_FRAME_INFO,
        pRetvalRange: *mut COR_PRF_FUNCTION_ARGUMENT_RANGE,
    ) -> HRESULT,
    pub GetFunctionTailcall3Info: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo3,
        functionId: FunctionID,
        eltInfo: COR_PRF_ELT_INFO,
        pFrameInfo: *mut COR_PRF_FRAME_INFO,
    ) -> HRESULT,
    pub EnumModules: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo3,
        ppEnum: *mut *mut ICorProfilerModuleEnum,
    ) -> HRESULT,
    pub GetRuntimeInformation: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo3,
        pClrInstanceId: *mut USHORT,
        pRuntimeType: *mut COR_PRF_RUNTIME_TYPE,
        pMajorVersion: *mut USHORT,
        pMinorVersion: *mut USHORT,
        pBuildNumber: *mut USHORT,
        pQFEVersion: *mut USHORT,
        cchVersionString: ULONG,
        pcchVersionString: *mut ULONG,
        szVersionString: *mut WCHAR,
    ) -> HRESULT,
    pub GetThreadStaticAddress2: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo3,
        classId: ClassID,
        fieldToken: mdFieldDef,
        appDomainId: AppDomainID,
        threadId: ThreadID,
        ppAddress: *mut *mut ::core::ffi::c_void,
    ) -> HRESULT,
    pub GetAppDomainsContainingModule: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo3,
        moduleId: ModuleID,
        cAppDomainIds: ULONG32,
        pcAppDomainIds: *mut ULONG32,
        appDomainIds: *mut AppDomainID,
    ) -> HRESULT,
    pub GetModuleInfo2: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo3,
        moduleId: ModuleID,
        ppBaseLoadAddress: *mut LPCBYTE,
        cchName: ULONG,
        pcchName: *mut ULONG,
        szName: *mut WCHAR,
        pAssemblyId: *mut AssemblyID,
        pdwModuleFlags: *mut DWORD,
    ) -> HRESULT,
}
/// Enumerates object ids.
#[repr(C)]
pub struct ICorProfilerObjectEnum {
    pub lpVtbl: *const ICorProfilerObjectEnumVtbl,
}
/// Methods of `ICorProfilerObjectEnum`: the inherited ones in `base`, then slots 3 to 7.
#[repr(C)]
pub struct ICorProfilerObjectEnumVtbl {
    pub base: IUnknownVtbl,
    pub Skip: unsafe extern "system" fn(This: *mut ICorProfilerObjectEnum, celt: ULONG) -> HRESULT,
    pub Reset: unsafe extern "system" fn(This: *mut ICorProfilerObjectEnum) -> HRESULT,
    pub Clone: unsafe extern "system" fn(
        This: *mut ICorProfilerObjectEnum,
        ppEnum: *mut *mut ICorProfilerObjectEnum,
    ) -> HRESULT,
    pub GetCount: unsafe extern "system" fn(This: *mut ICorProfilerObjectEnum, pcelt: *mut ULONG) -> HRESULT,
    pub Next: unsafe extern "system" fn(
        This: *mut ICorProfilerObjectEnum,
        celt: ULONG,
        objects: *mut ObjectID,
        pceltFetched: *mut ULONG,
    ) -> HRESULT,
}
/// Enumerates functions with their ReJIT ids.
#[repr(C)]
pub struct ICorProfilerFunctionEnum {
    pub lpVtbl: *const ICorProfilerFunctionEnumVtbl,
}
/// Methods of `ICorProfilerFunctionEnum`: the inherited ones in `base`, then slots 3 to 7.
#[repr(C)]
pub struct ICorProfilerFunctionEnumVtbl {
    pub base: IUnknownVtbl,
    pub Skip: unsafe extern "system" fn(This: *mut ICorProfilerFunctionEnum, celt: ULONG) -> HRESULT,
    pub Reset: unsafe extern "system" fn(This: *mut ICorProfilerFunctionEnum) -> HRESULT,
    pub Clone: unsafe extern "system" fn(
        This: *mut ICorProfilerFunctionEnum,
        ppEnum: *mut *mut ICorProfilerFunctionEnum,
    ) -> HRESULT,
    pub GetCount:
        unsafe extern "system" fn(This: *mut ICorProfilerFunctionEnum, pcelt: *mut ULONG) -> HRESULT,
    pub Next: unsafe extern "system" fn(
        This: *mut ICorProfilerFunctionEnum,
        celt: ULONG,
        ids: *mut COR_PRF_FUNCTION,
        pceltFetched: *mut ULONG,
    ) -> HRESULT,
}
/// Enumerates module ids.
#[repr(C)]
pub struct ICorProfilerModuleEnum {
    pub lpVtbl: *const ICorProfilerModuleEnumVtbl,
}
/// Methods of `ICorProfilerModuleEnum`: the inherited ones in `base`, then slots 3 to 7.
#[repr(C)]
pub struct ICorProfilerModuleEnumVtbl {
    pub base: IUnknownVtbl,
    pub Skip: unsafe extern "system" fn(This: *mut ICorProfilerModuleEnum, celt: ULONG) -> HRESULT,
    pub Reset: unsafe extern "system" fn(This: *mut ICorProfilerModuleEnum) -> HRESULT,
    pub Clone: unsafe extern "system" fn(
        This: *mut ICorProfilerModuleEnum,
        ppEnum: *mut *mut ICorProfilerModuleEnum,
    ) -> HRESULT,
    pub GetCount: unsafe extern "system" fn(This: *mut ICorProfilerModuleEnum, pcelt: *mut ULONG) -> HRESULT,
    pub Next: unsafe extern "system" fn(
        This: *mut ICorProfilerModuleEnum,
        celt: ULONG,
        ids: *mut ModuleID,
        pceltFetched: *mut ULONG,
    ) -> HRESULT,
}
/// Allocates memory for a new IL body of a method of one module.
#[repr(C)]
pub struct IMethodMalloc {
    pub lpVtbl: *const IMethodMallocVtbl,
}
/// Methods of `IMethodMalloc`: the inherited ones in `base`, then slot 3.
#[repr(C)]
pub struct IMethodMallocVtbl {
    pub base: IUnknownVtbl,
    pub Alloc: unsafe extern "system" fn(This: *mut IMethodMalloc, cb: ULONG) -> PVOID,
}
/// Takes the new IL body and the flags of a method that is recompiled.
#[repr(C)]
pub struct ICorProfilerFunctionControl {
    pub lpVtbl: *const ICorProfilerFunctionControlVtbl,
}
/// Methods of `ICorProfilerFunctionControl`: the inherited ones in `base`, then slots 3 to 5.
#[repr(C)]
pub struct ICorProfilerFunctionControlVtbl {
    pub base: IUnknownVtbl,
    pub SetCodegenFlags:
        unsafe extern "system" fn(This: *mut ICorProfilerFunctionControl, flags: DWORD) -> HRESULT,
    pub SetILFunctionBody: unsafe extern "system" fn(
        This: *mut ICorProfilerFunctionControl,
        cbNewILMethodHeader: ULONG,
        pbNewILMethodHeader: LPCBYTE,
    ) -> HRESULT,
    pub SetILInstrumentedCodeMap: unsafe extern "system" fn(
        This: *mut ICorProfilerFunctionControl,
        cILMapEntries: ULONG,
        rgILMapEntries: *mut COR_IL_MAP,
    ) -> HRESULT,
}
/// Adds ReJIT, enumeration of threads, 64-bit object sizes.
#[repr(C)]
pub struct ICorProfilerInfo4 {
    pub lpVtbl: *const ICorProfilerInfo4Vtbl,
}
/// Methods of `ICorProfilerInfo4`: the inherited ones in `base`, then slots 71 to 80.
#[repr(C)]
pub struct ICorProfilerInfo4Vtbl {
    pub base: ICorProfilerInfo3Vtbl,
    pub EnumThreads: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo4,
        ppEnum: *mut *mut ICorProfilerThreadEnum,
    ) -> HRESULT,
    pub InitializeCurrentThread: unsafe extern "system" fn(This: *mut ICorProfilerInfo4) -> HRESULT,
    pub RequestReJIT: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo4,
        cFunctions: ULONG,
        moduleIds: *mut ModuleID,
        methodIds: *mut mdMethodDef,
    ) -> HRESULT,
    pub RequestRevert: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo4,
        cFunctions: ULONG,
        moduleIds: *mut ModuleID,
        methodIds: *mut mdMethodDef,
        status: *mut HRESULT,
    ) -> HRESULT,
    pub GetCodeInfo3: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo4,
        functionID: FunctionID,
        reJitId: ReJITID,
        cCodeInfos: ULONG32,
        pcCodeInfos: *mut ULONG32,
        codeInfos: *mut COR_PRF_CODE_INFO,
    ) -> HRESULT,
    pub GetFunctionFromIP2: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo4,
        ip: LPCBYTE,
        pFunctionId: *mut FunctionID,
        pReJitId: *mut ReJITID,
    ) -> HRESULT,
    pub GetReJITIDs: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo4,
        functionId: FunctionID,
        cReJitIds: ULONG,
        pcReJitIds: *mut ULONG,
        reJitIds: *mut ReJITID,
    ) -> HRESULT,
    pub GetILToNativeMapping2: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo4,
        functionId: FunctionID,
        reJitId: ReJITID,
        cMap: ULONG32,
        pcMap: *mut ULONG32,
        map: *mut COR_DEBUG_IL_TO_NATIVE_MAP,
    ) -> HRESULT,
    pub EnumJITedFunctions2: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo4,
        ppEnum: *mut *mut ICorProfilerFunctionEnum,
    ) -> HRESULT,
    pub GetObjectSize2: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo4,
        objectId: ObjectID,
        pcSize: *mut SIZE_T,
    ) -> HRESULT,
}
/// Adds the high half of the event mask.
#[repr(C)]
pub struct ICorProfilerInfo5 {
    pub lpVtbl: *const ICorProfilerInfo5Vtbl,
}
/// Methods of `ICorProfilerInfo5`: the inherited ones in `base`, then slots 81 to 82.
#[repr(C)]
pub struct ICorProfilerInfo5Vtbl {
    pub base: ICorProfilerInfo4Vtbl,
    pub GetEventMask2: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo5,
        pdwEventsLow: *mut DWORD,
        pdwEventsHigh: *mut DWORD,
    ) -> HRESULT,
    pub SetEventMask2: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo5,
        dwEventsLow: DWORD,
        dwEventsHigh: DWORD,
    ) -> HRESULT,
}
/// Adds the search for methods that inline a given one.
#[repr(C)]
pub struct ICorProfilerInfo6 {
    pub lpVtbl: *const ICorProfilerInfo6Vtbl,
}
/// Methods of `ICorProfilerInfo6`: the inherited ones in `base`, then slot 83.
#[repr(C)]
pub struct ICorProfilerInfo6Vtbl {
    pub base: ICorProfilerInfo5Vtbl,
    pub EnumNgenModuleMethodsInliningThisMethod: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo6,
        inlinersModuleId: ModuleID,
        inlineeModuleId: ModuleID,
        inlineeMethodId: mdMethodDef,
        incompleteData: *mut BOOL,
        ppEnum: *mut *mut ICorProfilerMethodEnum,
    ) -> HRESULT,
}
/// Adds symbols in memory and a refresh of the metadata.
#[repr(C)]
pub struct ICorProfilerInfo7 {
    pub lpVtbl: *const ICorProfilerInfo7Vtbl,
}
/// Methods of `ICorProfilerInfo7`: the inherited ones in `base`, then slots 84 to 86.
#[repr(C)]
pub struct ICorProfilerInfo7Vtbl {
    pub base: ICorProfilerInfo6Vtbl,
    pub ApplyMetaData: unsafe extern "system" fn(This: *mut ICorProfilerInfo7, moduleId: ModuleID) -> HRESULT,
    pub GetInMemorySymbolsLength: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo7,
        moduleId: ModuleID,
        pCountSymbolBytes: *mut DWORD,
    ) -> HRESULT,
    pub ReadInMemorySymbols: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo7,
        moduleId: ModuleID,
        symbolsReadOffset: DWORD,
        pSymbolBytes: *mut BYTE,
        countSymbolBytes: DWORD,
        pCountSymbolBytesRead: *mut DWORD,
    ) -> HRESULT,
}
/// Adds dynamic methods.
#[repr(C)]
pub struct ICorProfilerInfo8 {
    pub lpVtbl: *const ICorProfilerInfo8Vtbl,
}
/// Methods of `ICorProfilerInfo8`: the inherited ones in `base`, then slots 87 to 89.
#[repr(C)]
pub struct ICorProfilerInfo8Vtbl {
    pub base: ICorProfilerInfo7Vtbl,
    pub IsFunctionDynamic: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo8,
        functionId: FunctionID,
        isDynamic: *mut BOOL,
    ) -> HRESULT,
    pub GetFunctionFromIP3: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo8,
        ip: LPCBYTE,
        functionId: *mut FunctionID,
        pReJitId: *mut ReJITID,
    ) -> HRESULT,
    pub GetDynamicFunctionInfo: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo8,
        functionId: FunctionID,
        moduleId: *mut ModuleID,
        ppvSig: *mut PCCOR_SIGNATURE,
        pbSig: *mut ULONG,
        cchName: ULONG,
        pcchName: *mut ULONG,
        wszName: *mut WCHAR,
    ) -> HRESULT,
}
/// Adds the several native bodies of one method.
#[repr(C)]
pub struct ICorProfilerInfo9 {
    pub lpVtbl: *const ICorProfilerInfo9Vtbl,
}
/// Methods of `ICorProfilerInfo9`: the inherited ones in `base`, then slots 90 to 92.
#[repr(C)]
pub struct ICorProfilerInfo9Vtbl {
    pub base: ICorProfilerInfo8Vtbl,
    pub GetNativeCodeStartAddresses: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo9,
        functionID: FunctionID,
        reJitId: ReJITID,
        cCodeStartAddresses: ULONG32,
        pcCodeStartAddresses: *mut ULONG32,
        codeStartAddresses: *mut UINT_PTR,
    ) -> HRESULT,
    pub GetILToNativeMapping3: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo9,
        pNativeCodeStartAddress: UINT_PTR,
        cMap: ULONG32,
        pcMap: *mut ULONG32,
        map: *mut COR_DEBUG_IL_TO_NATIVE_MAP,
    ) -> HRESULT,
    pub GetCodeInfo4: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo9,
        pNativeCodeStartAddress: UINT_PTR,
        cCodeInfos: ULONG32,
        pcCodeInfos: *mut ULONG32,
        codeInfos: *mut COR_PRF_CODE_INFO,
    ) -> HRESULT,
}
/// Adds walks over references of objects, ReJIT with inliners, suspension.
#[repr(C)]
pub struct ICorProfilerInfo10 {
    pub lpVtbl: *const ICorProfilerInfo10Vtbl,
}
/// Methods of `ICorProfilerInfo10`: the inherited ones in `base`, then slots 93 to 98.
#[repr(C)]
pub struct ICorProfilerInfo10Vtbl {
    pub base: ICorProfilerInfo9Vtbl,
    pub EnumerateObjectReferences: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo10,
        objectId: ObjectID,
        callback: ObjectReferenceCallback,
        clientData: *mut ::core::ffi::c_void,
    ) -> HRESULT,
    pub IsFrozenObject: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo10,
        objectId: ObjectID,
        pbFrozen: *mut BOOL,
    ) -> HRESULT,
    pub GetLOHObjectSizeThreshold:
        unsafe extern "system" fn(This: *mut ICorProfilerInfo10, pThreshold: *mut DWORD) -> HRESULT,
    pub RequestReJITWithInliners: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo10,
        dwRejitFlags: DWORD,
        cFunctions: ULONG,
        moduleIds: *mut ModuleID,
        methodIds: *mut mdMethodDef,
    ) -> HRESULT,
    pub SuspendRuntime: unsafe extern "system" fn(This: *mut ICorProfilerInfo10) -> HRESULT,
    pub ResumeRuntime: unsafe extern "system" fn(This: *mut ICorProfilerInfo10) -> HRESULT,
}
/// Adds environment variables.
#[repr(C)]
pub struct ICorProfilerInfo11 {
    pub lpVtbl: *const ICorProfilerInfo11Vtbl,
}
/// Methods of `ICorProfilerInfo11`: the inherited ones in `base`, then slots 99 to 100.
#[repr(C)]
pub struct ICorProfilerInfo11Vtbl {
    pub base: ICorProfilerInfo10Vtbl,
    pub GetEnvironmentVariableA: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo11,
        szName: *const WCHAR,
        cchValue: ULONG,
        pcchValue: *mut ULONG,
        szValue: *mut WCHAR,
    ) -> HRESULT,
    pub SetEnvironmentVariableA: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo11,
        szName: *const WCHAR,
        szValue: *const WCHAR,
    ) -> HRESULT,
}
/// Adds EventPipe sessions, providers and events.
#[repr(C)]
pub struct ICorProfilerInfo12 {
    pub lpVtbl: *const ICorProfilerInfo12Vtbl,
}
/// Methods of `ICorProfilerInfo12`: the inherited ones in `base`, then slots 101 to 107.
#[repr(C)]
pub struct ICorProfilerInfo12Vtbl {
    pub base: ICorProfilerInfo11Vtbl,
    pub EventPipeStartSession: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo12,
        cProviderConfigs: UINT32,
        pProviderConfigs: *mut COR_PRF_EVENTPIPE_PROVIDER_CONFIG,
        requestRundown: BOOL,
        pSession: *mut EVENTPIPE_SESSION,
    ) -> HRESULT,
    pub EventPipeAddProviderToSession: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo12,
        session: EVENTPIPE_SESSION,
        providerConfig: COR_PRF_EVENTPIPE_PROVIDER_CONFIG,
    ) -> HRESULT,
    pub EventPipeStopSession:
        unsafe extern "system" fn(This: *mut ICorProfilerInfo12, session: EVENTPIPE_SESSION) -> HRESULT,
    pub EventPipeCreateProvider: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo12,
        providerName: *const WCHAR,
        pProvider: *mut EVENTPIPE_PROVIDER,
    ) -> HRESULT,
    pub EventPipeGetProviderInfo: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo12,
        provider: EVENTPIPE_PROVIDER,
        cchName: ULONG,
        pcchName: *mut ULONG,
        providerName: *mut WCHAR,
    ) -> HRESULT,
    pub EventPipeDefineEvent: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo12,
        provider: EVENTPIPE_PROVIDER,
        eventName: *const WCHAR,
        eventID: UINT32,
        keywords: UINT64,
        eventVersion: UINT32,
        level: UINT32,
        opcode: UINT8,
        needStack: BOOL,
        cParamDescs: UINT32,
        pParamDescs: *mut COR_PRF_EVENTPIPE_PARAM_DESC,
        pEvent: *mut EVENTPIPE_EVENT,
    ) -> HRESULT,
    pub EventPipeWriteEvent: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo12,
        event: EVENTPIPE_EVENT,
        cData: UINT32,
        data: *mut COR_PRF_EVENT_DATA,
        pActivityId: LPCGUID,
        pRelatedActivityId: LPCGUID,
    ) -> HRESULT,
}
/// Adds handles to objects.
#[repr(C)]
pub struct ICorProfilerInfo13 {
    pub lpVtbl: *const ICorProfilerInfo13Vtbl,
}
/// Methods of `ICorProfilerInfo13`: the inherited ones in `base`, then slots 108 to 110.
#[repr(C)]
pub struct ICorProfilerInfo13Vtbl {
    pub base: ICorProfilerInfo12Vtbl,
    pub CreateHandle: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo13,
        object: ObjectID,
        type_: COR_PRF_HANDLE_TYPE,
        pHandle: *mut ObjectHandleID,
    ) -> HRESULT,
    pub DestroyHandle:
        unsafe extern "system" fn(This: *mut ICorProfilerInfo13, handle: ObjectHandleID) -> HRESULT,
    pub GetObjectIDFromHandle: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo13,
        handle: ObjectHandleID,
        pObject: *mut ObjectID,
    ) -> HRESULT,
}
/// Adds objects outside the collected heap, and EventPipe providers with a callback.
#[repr(C)]
pub struct ICorProfilerInfo14 {
    pub lpVtbl: *const ICorProfilerInfo14Vtbl,
}
/// Methods of `ICorProfilerInfo14`: the inherited ones in `base`, then slots 111 to 113.
#[repr(C)]
pub struct ICorProfilerInfo14Vtbl {
    pub base: ICorProfilerInfo13Vtbl,
    pub EnumerateNonGCObjects: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo14,
        ppEnum: *mut *mut ICorProfilerObjectEnum,
    ) -> HRESULT,
    pub GetNonGCHeapBounds: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo14,
        cObjectRanges: ULONG,
        pcObjectRanges: *mut ULONG,
        ranges: *mut COR_PRF_NONGC_HEAP_RANGE,
    ) -> HRESULT,
    pub EventPipeCreateProvider2: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo14,
        providerName: *const WCHAR,
        pCallback: EventPipeProviderCallback,
        pProvider: *mut EVENTPIPE_PROVIDER,
    ) -> HRESULT,
}
/// Enumerates methods by module and token.
#[repr(C)]
pub struct ICorProfilerMethodEnum {
    pub lpVtbl: *const ICorProfilerMethodEnumVtbl,
}
/// Methods of `ICorProfilerMethodEnum`: the inherited ones in `base`, then slots 3 to 7.
#[repr(C)]
pub struct ICorProfilerMethodEnumVtbl {
    pub base: IUnknownVtbl,
    pub Skip: unsafe extern "system" fn(This: *mut ICorProfilerMethodEnum, celt: ULONG) -> HRESULT,
    pub Reset: unsafe extern "system" fn(This: *mut ICorProfilerMethodEnum) -> HRESULT,
    pub Clone: unsafe extern "system" fn(
        This: *mut ICorProfilerMethodEnum,
        ppEnum: *mut *mut ICorProfilerMethodEnum,
    ) -> HRESULT,
    pub GetCount: unsafe extern "system" fn(This: *mut ICorProfilerMethodEnum, pcelt: *mut ULONG) -> HRESULT,
    pub Next: unsafe extern "system" fn(
        This: *mut ICorProfilerMethodEnum,
        celt: ULONG,
        elements: *mut COR_PRF_METHOD,
        pceltFetched: *mut ULONG,
    ) -> HRESULT,
}
/// Enumerates thread ids.
#[repr(C)]
pub struct ICorProfilerThreadEnum {
    pub lpVtbl: *const ICorProfilerThreadEnumVtbl,
}
/// Methods of `ICorProfilerThreadEnum`: the inherited ones in `base`, then slots 3 to 7.
#[repr(C)]
pub struct ICorProfilerThreadEnumVtbl {
    pub base: IUnknownVtbl,
    pub Skip: unsafe extern "system" fn(This: *mut ICorProfilerThreadEnum, celt: ULONG) -> HRESULT,
    pub Reset: unsafe extern "system" fn(This: *mut ICorProfilerThreadEnum) -> HRESULT,
    pub Clone: unsafe extern "system" fn(
        This: *mut ICorProfilerThreadEnum,
        ppEnum: *mut *mut ICorProfilerThreadEnum,
    ) -> HRESULT,
    pub GetCount: unsafe extern "system" fn(This: *mut ICorProfilerThreadEnum, pcelt: *mut ULONG) -> HRESULT,
    pub Next: unsafe extern "system" fn(
        This: *mut ICorProfilerThreadEnum,
        celt: ULONG,
        ids: *mut ThreadID,
        pceltFetched: *mut ULONG,
    ) -> HRESULT,
}
/// Takes the references that a profiler wants to add to an assembly.
#[repr(C)]
pub struct ICorProfilerAssemblyReferenceProvider {
    pub lpVtbl: *const ICorProfilerAssemblyReferenceProviderVtbl,
}
/// Methods of `ICorProfilerAssemblyReferenceProvider`: the inherited ones in `base`, then slot 3.
#[repr(C)]
pub struct ICorProfilerAssemblyReferenceProviderVtbl {
    pub base: IUnknownVtbl,
    pub AddAssemblyReference: unsafe extern "system" fn(
        This: *mut ICorProfilerAssemblyReferenceProvider,
        pAssemblyRefInfo: *const COR_PRF_ASSEMBLY_REFERENCE_INFO,
    ) -> HRESULT,
}
/// Adds the enumeration of all objects of the heap.
#[repr(C)]
pub struct ICorProfilerInfo15 {
    pub lpVtbl: *const ICorProfilerInfo15Vtbl,
}
/// Methods of `ICorProfilerInfo15`: the inherited ones in `base`, then slot 114.
#[repr(C)]
pub struct ICorProfilerInfo15Vtbl {
    pub base: ICorProfilerInfo14Vtbl,
    pub EnumerateGCHeapObjects: unsafe extern "system" fn(
        This: *mut ICorProfilerInfo15,
        callback: ObjectCallback,
        callbackState: *mut ::core::ffi::c_void,
    ) -> HRESULT,
}
pub const CLDB_S_TRUNCATION: HRESULT = 0x131106;
pub const META_S_DUPLICATE: HRESULT = 0x131197;
pub const CORDBG_S_BAD_START_SEQUENCE_POINT: HRESULT = 0x13130B;
pub const CORDBG_S_BAD_END_SEQUENCE_POINT: HRESULT = 0x13130C;
pub const CORDBG_S_FUNC_EVAL_HAS_NO_RESULT: HRESULT = 0x131316;
pub const CORDBG_S_VALUE_POINTS_TO_VOID: HRESULT = 0x131317;
pub const CORDBG_S_FUNC_EVAL_ABORTED: HRESULT = 0x131319;
pub const CORDBG_S_AT_END_OF_STACK: HRESULT = 0x131324;
pub const CORDBG_S_NOT_ALL_BITS_SET: HRESULT = 0x131C13;
pub const COR_E_TYPEUNLOADED: HRESULT = 0x80131013_u32 as HRESULT;
pub const COR_E_APPDOMAINUNLOADED: HRESULT = 0x80131014_u32 as HRESULT;
pub const COR_E_CANNOTUNLOADAPPDOMAIN: HRESULT = 0x80131015_u32 as HRESULT;
pub const MSEE_E_ASSEMBLYLOADINPROGRESS: HRESULT = 0x80131016_u32 as HRESULT;
pub const COR_E_ASSEMBLYEXPECTED: HRESULT = 0x80131018_u32 as HRESULT;
pub const COR_E_NEWER_RUNTIME: HRESULT = 0x8013101B_u32 as HRESULT;
pub const COR_E_MULTIMODULEASSEMBLIESDIALLOWED: HRESULT = 0x8013101E_u32 as HRESULT;
pub const HOST_E_INVALIDOPERATION: HRESULT = 0x80131022_u32 as HRESULT;
pub const HOST_E_CLRNOTAVAILABLE: HRESULT = 0x80131023_u32 as HRESULT;
pub const FUSION_E_REF_DEF_MISMATCH: HRESULT = 0x80131040_u32 as HRESULT;
pub const FUSION_E_PRIVATE_ASM_DISALLOWED: HRESULT = 0x80131044_u32 as HRESULT;
pub const FUSION_E_INVALID_NAME: HRESULT = 0x80131047_u32 as HRESULT;
pub const FUSION_E_APP_DOMAIN_LOCKED: HRESULT = 0x80131053_u32 as HRESULT;
pub const COR_E_LOADING_REFERENCE_ASSEMBLY: HRESULT = 0x80131058_u32 as HRESULT;
pub const COR_E_AMBIGUOUSIMPLEMENTATION: HRESULT = 0x8013106A_u32 as HRESULT;
pub const CLDB_E_FILE_BADREAD: HRESULT = 0x80131100_u32 as HRESULT;
pub const CLDB_E_FILE_BADWRITE: HRESULT = 0x80131101_u32 as HRESULT;
pub const CLDB_E_FILE_OLDVER: HRESULT = 0x80131107_u32 as HRESULT;
pub const CLDB_E_SMDUPLICATE: HRESULT = 0x8013110A_u32 as HRESULT;
pub const CLDB_E_NO_DATA: HRESULT = 0x8013110B_u32 as HRESULT;
pub const CLDB_E_INCOMPATIBLE: HRESULT = 0x8013110D_u32 as HRESULT;
pub const CLDB_E_FILE_CORRUPT: HRESULT = 0x8013110E_u32 as HRESULT;
pub const CLDB_E_BADUPDATEMODE: HRESULT = 0x80131110_u32 as HRESULT;
pub const CLDB_E_INDEX_NOTFOUND: HRESULT = 0x80131124_u32 as HRESULT;
pub const CLDB_E_RECORD_NOTFOUND: HRESULT = 0x80131130_u32 as HRESULT;
pub const CLDB_E_RECORD_OUTOFORDER: HRESULT = 0x80131135_u32 as HRESULT;
pub const CLDB_E_TOO_BIG: HRESULT = 0x80131154_u32 as HRESULT;
pub const META_E_INVALID_TOKEN_TYPE: HRESULT = 0x8013115F_u32 as HRESULT;
pub const TLBX_E_LIBNOTREGISTERED: HRESULT = 0x80131165_u32 as HRESULT;
pub const META_E_BADMETADATA: HRESULT = 0x8013118A_u32 as HRESULT;
pub const META_E_BAD_SIGNATURE: HRESULT = 0x80131192_u32 as HRESULT;
pub const META_E_BAD_INPUT_PARAMETER: HRESULT = 0x80131193_u32 as HRESULT;
pub const META_E_CANNOTRESOLVETYPEREF: HRESULT = 0x80131196_u32 as HRESULT;
pub const META_E_STRINGSPACE_FULL: HRESULT = 0x80131198_u32 as HRESULT;
pub const META_E_HAS_UNMARKALL: HRESULT = 0x8013119A_u32 as HRESULT;
pub const META_E_MUST_CALL_UNMARKALL: HRESULT = 0x8013119B_u32 as HRESULT;
pub const META_E_CA_INVALID_TARGET: HRESULT = 0x801311C0_u32 as HRESULT;
pub const META_E_CA_INVALID_VALUE: HRESULT = 0x801311C1_u32 as HRESULT;
pub const META_E_CA_INVALID_BLOB: HRESULT = 0x801311C2_u32 as HRESULT;
pub const META_E_CA_REPEATED_ARG: HRESULT = 0x801311C3_u32 as HRESULT;
pub const META_E_CA_UNKNOWN_ARGUMENT: HRESULT = 0x801311C4_u32 as HRESULT;
pub const META_E_CA_UNEXPECTED_TYPE: HRESULT = 0x801311C7_u32 as HRESULT;
pub const META_E_CA_INVALID_ARGTYPE: HRESULT = 0x801311C8_u32 as HRESULT;
pub const META_E_CA_INVALID_ARG_FOR_TYPE: HRESULT = 0x801311C9_u32 as HRESULT;
pub const META_E_CA_INVALID_UUID: HRESULT = 0x801311CA_u32 as HRESULT;
pub const META_E_CA_INVALID_MARSHALAS_FIELDS: HRESULT = 0x801311CB_u32 as HRESULT;
pub const META_E_CA_NT_FIELDONLY: HRESULT = 0x801311CC_u32 as HRESULT;
pub const META_E_CA_NEGATIVE_PARAMINDEX: HRESULT = 0x801311CD_u32 as HRESULT;
pub const META_E_CA_NEGATIVE_CONSTSIZE: HRESULT = 0x801311CF_u32 as HRESULT;
pub const META_E_CA_FIXEDSTR_SIZE_REQUIRED: HRESULT = 0x801311D0_u32 as HRESULT;
pub const META_E_CA_CUSTMARSH_TYPE_REQUIRED: HRESULT = 0x801311D1_u32 as HRESULT;
pub const META_E_NOT_IN_ENC_MODE: HRESULT = 0x801311D4_u32 as HRESULT;
pub const META_E_CA_BAD_FRIENDS_ARGS: HRESULT = 0x801311E5_u32 as HRESULT;
pub const META_E_CA_FRIENDS_SN_REQUIRED: HRESULT = 0x801311E6_u32 as HRESULT;
pub const VLDTR_E_RID_OUTOFRANGE: HRESULT = 0x80131203_u32 as HRESULT;
pub const VLDTR_E_STRING_INVALID: HRESULT = 0x80131206_u32 as HRESULT;
pub const VLDTR_E_GUID_INVALID: HRESULT = 0x80131207_u32 as HRESULT;
pub const VLDTR_E_BLOB_INVALID: HRESULT = 0x80131208_u32 as HRESULT;
pub const VLDTR_E_MR_BADCALLINGCONV: HRESULT = 0x80131224_u32 as HRESULT;
pub const VLDTR_E_SIGNULL: HRESULT = 0x80131237_u32 as HRESULT;
pub const VLDTR_E_MD_BADCALLINGCONV: HRESULT = 0x80131239_u32 as HRESULT;
pub const VLDTR_E_MD_THISSTATIC: HRESULT = 0x8013123A_u32 as HRESULT;
pub const VLDTR_E_MD_NOTTHISNOTSTATIC: HRESULT = 0x8013123B_u32 as HRESULT;
pub const VLDTR_E_MD_NOARGCNT: HRESULT = 0x8013123C_u32 as HRESULT;
pub const VLDTR_E_SIG_MISSELTYPE: HRESULT = 0x8013123D_u32 as HRESULT;
pub const VLDTR_E_SIG_MISSTKN: HRESULT = 0x8013123E_u32 as HRESULT;
pub const VLDTR_E_SIG_TKNBAD: HRESULT = 0x8013123F_u32 as HRESULT;
pub const VLDTR_E_SIG_MISSFPTR: HRESULT = 0x80131240_u32 as HRESULT;
pub const VLDTR_E_SIG_MISSFPTRARGCNT: HRESULT = 0x80131241_u32 as HRESULT;
pub const VLDTR_E_SIG_MISSRANK: HRESULT = 0x80131242_u32 as HRESULT;
pub const VLDTR_E_SIG_MISSNSIZE: HRESULT = 0x80131243_u32 as HRESULT;
pub const VLDTR_E_SIG_MISSSIZE: HRESULT = 0x80131244_u32 as HRESULT;
pub const VLDTR_E_SIG_MISSNLBND: HRESULT = 0x80131245_u32 as HRESULT;
pub const VLDTR_E_SIG_MISSLBND: HRESULT = 0x80131246_u32 as HRESULT;
pub const VLDTR_E_SIG_BADELTYPE: HRESULT = 0x80131247_u32 as HRESULT;
pub const VLDTR_E_TD_ENCLNOTNESTED: HRESULT = 0x80131256_u32 as HRESULT;
pub const VLDTR_E_FMD_PINVOKENOTSTATIC: HRESULT = 0x80131277_u32 as HRESULT;
pub const VLDTR_E_SIG_SENTINMETHODDEF: HRESULT = 0x801312DF_u32 as HRESULT;
pub const VLDTR_E_SIG_SENTMUSTVARARG: HRESULT = 0x801312E0_u32 as HRESULT;
pub const VLDTR_E_SIG_MULTSENTINELS: HRESULT = 0x801312E1_u32 as HRESULT;
pub const VLDTR_E_SIG_MISSARG: HRESULT = 0x801312E3_u32 as HRESULT;
pub const VLDTR_E_SIG_BYREFINFIELD: HRESULT = 0x801312E4_u32 as HRESULT;
pub const CORDBG_E_UNRECOVERABLE_ERROR: HRESULT = 0x80131300_u32 as HRESULT;
pub const CORDBG_E_PROCESS_TERMINATED: HRESULT = 0x80131301_u32 as HRESULT;
pub const CORDBG_E_PROCESS_NOT_SYNCHRONIZED: HRESULT = 0x80131302_u32 as HRESULT;
pub const CORDBG_E_CLASS_NOT_LOADED: HRESULT = 0x80131303_u32 as HRESULT;
pub const CORDBG_E_IL_VAR_NOT_AVAILABLE: HRESULT = 0x80131304_u32 as HRESULT;
pub const CORDBG_E_BAD_REFERENCE_VALUE: HRESULT = 0x80131305_u32 as HRESULT;
pub const CORDBG_E_FIELD_NOT_AVAILABLE: HRESULT = 0x80131306_u32 as HRESULT;
pub const CORDBG_E_NON_NATIVE_FRAME: HRESULT = 0x80131307_u32 as HRESULT;
pub const CORDBG_E_CODE_NOT_AVAILABLE: HRESULT = 0x80131309_u32 as HRESULT;
pub const CORDBG_E_FUNCTION_NOT_IL: HRESULT = 0x8013130A_u32 as HRESULT;
pub const CORDBG_E_CANT_SET_IP_INTO_FINALLY: HRESULT = 0x8013130E_u32 as HRESULT;
pub const CORDBG_E_CANT_SET_IP_OUT_OF_FINALLY: HRESULT = 0x8013130F_u32 as HRESULT;
pub const CORDBG_E_CANT_SET_IP_INTO_CATCH: HRESULT = 0x80131310_u32 as HRESULT;
pub const CORDBG_E_SET_IP_NOT_ALLOWED_ON_NONLEAF_FRAME: HRESULT = 0x80131311_u32 as HRESULT;
pub const CORDBG_E_SET_IP_IMPOSSIBLE: HRESULT = 0x80131312_u32 as HRESULT;
pub const CORDBG_E_FUNC_EVAL_BAD_START_POINT: HRESULT = 0x80131313_u32 as HRESULT;
pub const CORDBG_E_INVALID_OBJECT: HRESULT = 0x80131314_u32 as HRESULT;
pub const CORDBG_E_FUNC_EVAL_NOT_COMPLETE: HRESULT = 0x80131315_u32 as HRESULT;
pub const CORDBG_E_STATIC_VAR_NOT_AVAILABLE: HRESULT = 0x8013131A_u32 as HRESULT;
pub const CORDBG_E_CANT_SETIP_INTO_OR_OUT_OF_FILTER: HRESULT = 0x8013131C_u32 as HRESULT;
pub const CORDBG_E_CANT_CHANGE_JIT_SETTING_FOR_ZAP_MODULE: HRESULT = 0x8013131D_u32 as HRESULT;
pub const CORDBG_E_CANT_SET_IP_OUT_OF_FINALLY_ON_WIN64: HRESULT = 0x8013131E_u32 as HRESULT;
pub const CORDBG_E_CANT_SET_IP_OUT_OF_CATCH_ON_WIN64: HRESULT = 0x8013131F_u32 as HRESULT;
pub const CORDBG_E_CANT_SET_TO_JMC: HRESULT = 0x80131323_u32 as HRESULT;
pub const CORDBG_E_NO_CONTEXT_FOR_INTERNAL_FRAME: HRESULT = 0x80131325_u32 as HRESULT;
pub const CORDBG_E_NOT_CHILD_FRAME: HRESULT = 0x80131326_u32 as HRESULT;
pub const CORDBG_E_NON_MATCHING_CONTEXT: HRESULT = 0x80131327_u32 as HRESULT;
pub const CORDBG_E_PAST_END_OF_STACK: HRESULT = 0x80131328_u32 as HRESULT;
pub const CORDBG_E_FUNC_EVAL_CANNOT_UPDATE_REGISTER_IN_NONLEAF_FRAME: HRESULT = 0x80131329_u32 as HRESULT;
pub const CORDBG_E_BAD_THREAD_STATE: HRESULT = 0x8013132D_u32 as HRESULT;
pub const CORDBG_E_DEBUGGER_ALREADY_ATTACHED: HRESULT = 0x8013132E_u32 as HRESULT;
pub const CORDBG_E_SUPERFLOUS_CONTINUE: HRESULT = 0x8013132F_u32 as HRESULT;
pub const CORDBG_E_SET_VALUE_NOT_ALLOWED_ON_NONLEAF_FRAME: HRESULT = 0x80131330_u32 as HRESULT;
pub const CORDBG_E_ENC_MODULE_NOT_ENC_ENABLED: HRESULT = 0x80131332_u32 as HRESULT;
pub const CORDBG_E_SET_IP_NOT_ALLOWED_ON_EXCEPTION: HRESULT = 0x80131333_u32 as HRESULT;
pub const CORDBG_E_VARIABLE_IS_ACTUALLY_LITERAL: HRESULT = 0x80131334_u32 as HRESULT;
pub const CORDBG_E_PROCESS_DETACHED: HRESULT = 0x80131335_u32 as HRESULT;
pub const CORDBG_E_ENC_CANT_ADD_FIELD_TO_VALUE_OR_LAYOUT_CLASS: HRESULT = 0x80131338_u32 as HRESULT;
pub const CORDBG_E_FIELD_NOT_STATIC: HRESULT = 0x8013133B_u32 as HRESULT;
pub const CORDBG_E_FIELD_NOT_INSTANCE: HRESULT = 0x8013133C_u32 as HRESULT;
pub const CORDBG_E_ENC_JIT_CANT_UPDATE: HRESULT = 0x8013133F_u32 as HRESULT;
pub const CORDBG_E_ENC_INTERNAL_ERROR: HRESULT = 0x80131341_u32 as HRESULT;
pub const CORDBG_E_ENC_HANGING_FIELD: HRESULT = 0x80131342_u32 as HRESULT;
pub const CORDBG_E_MODULE_NOT_LOADED: HRESULT = 0x80131343_u32 as HRESULT;
pub const CORDBG_E_UNABLE_TO_SET_BREAKPOINT: HRESULT = 0x80131345_u32 as HRESULT;
pub const CORDBG_E_DEBUGGING_NOT_POSSIBLE: HRESULT = 0x80131346_u32 as HRESULT;
pub const CORDBG_E_KERNEL_DEBUGGER_ENABLED: HRESULT = 0x80131347_u32 as HRESULT;
pub const CORDBG_E_KERNEL_DEBUGGER_PRESENT: HRESULT = 0x80131348_u32 as HRESULT;
pub const CORDBG_E_INCOMPATIBLE_PROTOCOL: HRESULT = 0x8013134B_u32 as HRESULT;
pub const CORDBG_E_TOO_MANY_PROCESSES: HRESULT = 0x8013134C_u32 as HRESULT;
pub const CORDBG_E_INTEROP_NOT_SUPPORTED: HRESULT = 0x8013134D_u32 as HRESULT;
pub const CORDBG_E_NO_REMAP_BREAKPIONT: HRESULT = 0x8013134E_u32 as HRESULT;
pub const CORDBG_E_OBJECT_NEUTERED: HRESULT = 0x8013134F_u32 as HRESULT;
pub const CORPROF_E_FUNCTION_NOT_COMPILED: HRESULT = 0x80131350_u32 as HRESULT;
pub const CORPROF_E_DATAINCOMPLETE: HRESULT = 0x80131351_u32 as HRESULT;
pub const CORPROF_E_FUNCTION_NOT_IL: HRESULT = 0x80131354_u32 as HRESULT;
pub const CORPROF_E_NOT_MANAGED_THREAD: HRESULT = 0x80131355_u32 as HRESULT;
pub const CORPROF_E_CALL_ONLY_FROM_INIT: HRESULT = 0x80131356_u32 as HRESULT;
pub const CORPROF_E_NOT_YET_AVAILABLE: HRESULT = 0x8013135B_u32 as HRESULT;
pub const CORPROF_E_TYPE_IS_PARAMETERIZED: HRESULT = 0x8013135C_u32 as HRESULT;
pub const CORPROF_E_FUNCTION_IS_PARAMETERIZED: HRESULT = 0x8013135D_u32 as HRESULT;
pub const CORPROF_E_STACKSNAPSHOT_INVALID_TGT_THREAD: HRESULT = 0x8013135E_u32 as HRESULT;
pub const CORPROF_E_STACKSNAPSHOT_UNMANAGED_CTX: HRESULT = 0x8013135F_u32 as HRESULT;
pub const CORPROF_E_STACKSNAPSHOT_UNSAFE: HRESULT = 0x80131360_u32 as HRESULT;
pub const CORPROF_E_STACKSNAPSHOT_ABORTED: HRESULT = 0x80131361_u32 as HRESULT;
pub const CORPROF_E_LITERALS_HAVE_NO_ADDRESS: HRESULT = 0x80131362_u32 as HRESULT;
pub const CORPROF_E_UNSUPPORTED_CALL_SEQUENCE: HRESULT = 0x80131363_u32 as HRESULT;
pub const CORPROF_E_ASYNCHRONOUS_UNSAFE: HRESULT = 0x80131364_u32 as HRESULT;
pub const CORPROF_E_CLASSID_IS_ARRAY: HRESULT = 0x80131365_u32 as HRESULT;
pub const CORPROF_E_CLASSID_IS_COMPOSITE: HRESULT = 0x80131366_u32 as HRESULT;
pub const CORPROF_E_PROFILER_DETACHING: HRESULT = 0x80131367_u32 as HRESULT;
pub const CORPROF_E_PROFILER_NOT_ATTACHABLE: HRESULT = 0x80131368_u32 as HRESULT;
pub const CORPROF_E_UNRECOGNIZED_PIPE_MSG_FORMAT: HRESULT = 0x80131369_u32 as HRESULT;
pub const CORPROF_E_PROFILER_ALREADY_ACTIVE: HRESULT = 0x8013136A_u32 as HRESULT;
pub const CORPROF_E_PROFILEE_INCOMPATIBLE_WITH_TRIGGER: HRESULT = 0x8013136B_u32 as HRESULT;
pub const CORPROF_E_IPC_FAILED: HRESULT = 0x8013136C_u32 as HRESULT;
pub const CORPROF_E_PROFILEE_PROCESS_NOT_FOUND: HRESULT = 0x8013136D_u32 as HRESULT;
pub const CORPROF_E_CALLBACK3_REQUIRED: HRESULT = 0x8013136E_u32 as HRESULT;
pub const CORPROF_E_UNSUPPORTED_FOR_ATTACHING_PROFILER: HRESULT = 0x8013136F_u32 as HRESULT;
pub const CORPROF_E_IRREVERSIBLE_INSTRUMENTATION_PRESENT: HRESULT = 0x80131370_u32 as HRESULT;
pub const CORPROF_E_RUNTIME_UNINITIALIZED: HRESULT = 0x80131371_u32 as HRESULT;
pub const CORPROF_E_IMMUTABLE_FLAGS_SET: HRESULT = 0x80131372_u32 as HRESULT;
pub const CORPROF_E_PROFILER_NOT_YET_INITIALIZED: HRESULT = 0x80131373_u32 as HRESULT;
pub const CORPROF_E_INCONSISTENT_WITH_FLAGS: HRESULT = 0x80131374_u32 as HRESULT;
pub const CORPROF_E_PROFILER_CANCEL_ACTIVATION: HRESULT = 0x80131375_u32 as HRESULT;
pub const CORPROF_E_CONCURRENT_GC_NOT_PROFILABLE: HRESULT = 0x80131376_u32 as HRESULT;
pub const CORPROF_E_DEBUGGING_DISABLED: HRESULT = 0x80131378_u32 as HRESULT;
pub const CORPROF_E_TIMEOUT_WAITING_FOR_CONCURRENT_GC: HRESULT = 0x80131379_u32 as HRESULT;
pub const CORPROF_E_MODULE_IS_DYNAMIC: HRESULT = 0x8013137A_u32 as HRESULT;
pub const CORPROF_E_CALLBACK4_REQUIRED: HRESULT = 0x8013137B_u32 as HRESULT;
pub const CORPROF_E_REJIT_NOT_ENABLED: HRESULT = 0x8013137C_u32 as HRESULT;
pub const CORPROF_E_FUNCTION_IS_COLLECTIBLE: HRESULT = 0x8013137E_u32 as HRESULT;
pub const CORPROF_E_CALLBACK6_REQUIRED: HRESULT = 0x80131380_u32 as HRESULT;
pub const CORPROF_E_CALLBACK7_REQUIRED: HRESULT = 0x80131382_u32 as HRESULT;
pub const CORPROF_E_REJIT_INLINING_DISABLED: HRESULT = 0x80131383_u32 as HRESULT;
pub const CORDIAGIPC_E_BAD_ENCODING: HRESULT = 0x80131384_u32 as HRESULT;
pub const CORDIAGIPC_E_UNKNOWN_COMMAND: HRESULT = 0x80131385_u32 as HRESULT;
pub const CORDIAGIPC_E_UNKNOWN_MAGIC: HRESULT = 0x80131386_u32 as HRESULT;
pub const CORDIAGIPC_E_UNKNOWN_ERROR: HRESULT = 0x80131387_u32 as HRESULT;
pub const CORPROF_E_SUSPENSION_IN_PROGRESS: HRESULT = 0x80131388_u32 as HRESULT;
pub const CORPROF_E_NOT_GC_OBJECT: HRESULT = 0x80131389_u32 as HRESULT;
pub const CORSEC_E_POLICY_EXCEPTION: HRESULT = 0x80131416_u32 as HRESULT;
pub const CORSEC_E_MIN_GRANT_FAIL: HRESULT = 0x80131417_u32 as HRESULT;
pub const CORSEC_E_NO_EXEC_PERM: HRESULT = 0x80131418_u32 as HRESULT;
pub const CORSEC_E_XMLSYNTAX: HRESULT = 0x80131419_u32 as HRESULT;
pub const CORSEC_E_INVALID_STRONGNAME: HRESULT = 0x8013141A_u32 as HRESULT;
pub const CORSEC_E_INVALID_IMAGE_FORMAT: HRESULT = 0x8013141D_u32 as HRESULT;
pub const CORSEC_E_INVALID_PUBLICKEY: HRESULT = 0x8013141E_u32 as HRESULT;
pub const CORSEC_E_SIGNATURE_MISMATCH: HRESULT = 0x80131420_u32 as HRESULT;
pub const CORSEC_E_CRYPTO: HRESULT = 0x80131430_u32 as HRESULT;
pub const CORSEC_E_CRYPTO_UNEX_OPER: HRESULT = 0x80131431_u32 as HRESULT;
pub const COR_E_EXCEPTION: HRESULT = 0x80131500_u32 as HRESULT;
pub const COR_E_SYSTEM: HRESULT = 0x80131501_u32 as HRESULT;
pub const COR_E_ARGUMENTOUTOFRANGE: HRESULT = 0x80131502_u32 as HRESULT;
pub const COR_E_ARRAYTYPEMISMATCH: HRESULT = 0x80131503_u32 as HRESULT;
pub const COR_E_CONTEXTMARSHAL: HRESULT = 0x80131504_u32 as HRESULT;
pub const COR_E_TIMEOUT: HRESULT = 0x80131505_u32 as HRESULT;
pub const COR_E_EXECUTIONENGINE: HRESULT = 0x80131506_u32 as HRESULT;
pub const COR_E_FIELDACCESS: HRESULT = 0x80131507_u32 as HRESULT;
pub const COR_E_INDEXOUTOFRANGE: HRESULT = 0x80131508_u32 as HRESULT;
pub const COR_E_INVALIDOPERATION: HRESULT = 0x80131509_u32 as HRESULT;
pub const COR_E_SECURITY: HRESULT = 0x8013150A_u32 as HRESULT;
pub const COR_E_SERIALIZATION: HRESULT = 0x8013150C_u32 as HRESULT;
pub const COR_E_VERIFICATION: HRESULT = 0x8013150D_u32 as HRESULT;
pub const COR_E_METHODACCESS: HRESULT = 0x80131510_u32 as HRESULT;
pub const COR_E_MISSINGFIELD: HRESULT = 0x80131511_u32 as HRESULT;
pub const COR_E_MISSINGMEMBER: HRESULT = 0x80131512_u32 as HRESULT;
pub const COR_E_MISSINGMETHOD: HRESULT = 0x80131513_u32 as HRESULT;
pub const COR_E_MULTICASTNOTSUPPORTED: HRESULT = 0x80131514_u32 as HRESULT;
pub const COR_E_NOTSUPPORTED: HRESULT = 0x80131515_u32 as HRESULT;
pub const COR_E_OVERFLOW: HRESULT = 0x80131516_u32 as HRESULT;
pub const COR_E_RANK: HRESULT = 0x80131517_u32 as HRESULT;
pub const COR_E_SYNCHRONIZATIONLOCK: HRESULT = 0x80131518_u32 as HRESULT;
pub const COR_E_THREADINTERRUPTED: HRESULT = 0x80131519_u32 as HRESULT;
pub const COR_E_MEMBERACCESS: HRESULT = 0x8013151A_u32 as HRESULT;
pub const COR_E_THREADSTATE: HRESULT = 0x80131520_u32 as HRESULT;
pub const COR_E_THREADSTOP: HRESULT = 0x80131521_u32 as HRESULT;
pub const COR_E_TYPELOAD: HRESULT = 0x80131522_u32 as HRESULT;
pub const COR_E_ENTRYPOINTNOTFOUND: HRESULT = 0x80131523_u32 as HRESULT;
pub const COR_E_DLLNOTFOUND: HRESULT = 0x80131524_u32 as HRESULT;
pub const COR_E_THREADSTART: HRESULT = 0x80131525_u32 as HRESULT;
pub const COR_E_INVALIDCOMOBJECT: HRESULT = 0x80131527_u32 as HRESULT;
pub const COR_E_NOTFINITENUMBER: HRESULT = 0x80131528_u32 as HRESULT;
pub const COR_E_DUPLICATEWAITOBJECT: HRESULT = 0x80131529_u32 as HRESULT;
pub const COR_E_SEMAPHOREFULL: HRESULT = 0x8013152B_u32 as HRESULT;
pub const COR_E_WAITHANDLECANNOTBEOPENED: HRESULT = 0x8013152C_u32 as HRESULT;
pub const COR_E_ABANDONEDMUTEX: HRESULT = 0x8013152D_u32 as HRESULT;
pub const COR_E_THREADABORTED: HRESULT = 0x80131530_u32 as HRESULT;
pub const COR_E_INVALIDOLEVARIANTTYPE: HRESULT = 0x80131531_u32 as HRESULT;
pub const COR_E_MISSINGMANIFESTRESOURCE: HRESULT = 0x80131532_u32 as HRESULT;
pub const COR_E_SAFEARRAYTYPEMISMATCH: HRESULT = 0x80131533_u32 as HRESULT;
pub const COR_E_TYPEINITIALIZATION: HRESULT = 0x80131534_u32 as HRESULT;
pub const COR_E_MARSHALDIRECTIVE: HRESULT = 0x80131535_u32 as HRESULT;
pub const COR_E_MISSINGSATELLITEASSEMBLY: HRESULT = 0x80131536_u32 as HRESULT;
pub const COR_E_FORMAT: HRESULT = 0x80131537_u32 as HRESULT;
pub const COR_E_SAFEARRAYRANKMISMATCH: HRESULT = 0x80131538_u32 as HRESULT;
pub const COR_E_PLATFORMNOTSUPPORTED: HRESULT = 0x80131539_u32 as HRESULT;
pub const COR_E_INVALIDPROGRAM: HRESULT = 0x8013153A_u32 as HRESULT;
pub const COR_E_OPERATIONCANCELED: HRESULT = 0x8013153B_u32 as HRESULT;
pub const COR_E_INSUFFICIENTMEMORY: HRESULT = 0x8013153D_u32 as HRESULT;
pub const COR_E_RUNTIMEWRAPPED: HRESULT = 0x8013153E_u32 as HRESULT;
pub const COR_E_DATAMISALIGNED: HRESULT = 0x80131541_u32 as HRESULT;
pub const COR_E_CODECONTRACTFAILED: HRESULT = 0x80131542_u32 as HRESULT;
pub const COR_E_TYPEACCESS: HRESULT = 0x80131543_u32 as HRESULT;
pub const COR_E_ACCESSING_CCW: HRESULT = 0x80131544_u32 as HRESULT;
pub const COR_E_KEYNOTFOUND: HRESULT = 0x80131577_u32 as HRESULT;
pub const COR_E_INSUFFICIENTEXECUTIONSTACK: HRESULT = 0x80131578_u32 as HRESULT;
pub const COR_E_APPLICATION: HRESULT = 0x80131600_u32 as HRESULT;
pub const COR_E_INVALIDFILTERCRITERIA: HRESULT = 0x80131601_u32 as HRESULT;
pub const COR_E_REFLECTIONTYPELOAD: HRESULT = 0x80131602_u32 as HRESULT;
pub const COR_E_TARGET: HRESULT = 0x80131603_u32 as HRESULT;
pub const COR_E_TARGETINVOCATION: HRESULT = 0x80131604_u32 as HRESULT;
pub const COR_E_CUSTOMATTRIBUTEFORMAT: HRESULT = 0x80131605_u32 as HRESULT;
pub const COR_E_IO: HRESULT = 0x80131620_u32 as HRESULT;
pub const COR_E_FILELOAD: HRESULT = 0x80131621_u32 as HRESULT;
pub const COR_E_OBJECTDISPOSED: HRESULT = 0x80131622_u32 as HRESULT;
pub const COR_E_FAILFAST: HRESULT = 0x80131623_u32 as HRESULT;
pub const COR_E_HOSTPROTECTION: HRESULT = 0x80131640_u32 as HRESULT;
pub const COR_E_ILLEGAL_REENTRANCY: HRESULT = 0x80131641_u32 as HRESULT;
pub const CLR_E_SHIM_RUNTIMELOAD: HRESULT = 0x80131700_u32 as HRESULT;
pub const CLR_E_SHIM_LEGACYRUNTIMEALREADYBOUND: HRESULT = 0x80131704_u32 as HRESULT;
pub const VER_E_FIELD_SIG: HRESULT = 0x80131815_u32 as HRESULT;
pub const VER_E_CIRCULAR_VAR_CONSTRAINTS: HRESULT = 0x801318CE_u32 as HRESULT;
pub const VER_E_CIRCULAR_MVAR_CONSTRAINTS: HRESULT = 0x801318CF_u32 as HRESULT;
pub const COR_E_Data: HRESULT = 0x80131920_u32 as HRESULT;
pub const VLDTR_E_SIG_BADVOID: HRESULT = 0x80131B24_u32 as HRESULT;
pub const VLDTR_E_GP_ILLEGAL_VARIANT_MVAR: HRESULT = 0x80131B2D_u32 as HRESULT;
pub const CORDBG_E_THREAD_NOT_SCHEDULED: HRESULT = 0x80131C00_u32 as HRESULT;
pub const CORDBG_E_HANDLE_HAS_BEEN_DISPOSED: HRESULT = 0x80131C01_u32 as HRESULT;
pub const CORDBG_E_NONINTERCEPTABLE_EXCEPTION: HRESULT = 0x80131C02_u32 as HRESULT;
pub const CORDBG_E_INTERCEPT_FRAME_ALREADY_SET: HRESULT = 0x80131C04_u32 as HRESULT;
pub const CORDBG_E_NO_NATIVE_PATCH_AT_ADDR: HRESULT = 0x80131C05_u32 as HRESULT;
pub const CORDBG_E_MUST_BE_INTEROP_DEBUGGING: HRESULT = 0x80131C06_u32 as HRESULT;
pub const CORDBG_E_NATIVE_PATCH_ALREADY_AT_ADDR: HRESULT = 0x80131C07_u32 as HRESULT;
pub const CORDBG_E_TIMEOUT: HRESULT = 0x80131C08_u32 as HRESULT;
pub const CORDBG_E_CANT_CALL_ON_THIS_THREAD: HRESULT = 0x80131C09_u32 as HRESULT;
pub const CORDBG_E_ENC_INFOLESS_METHOD: HRESULT = 0x80131C0A_u32 as HRESULT;
pub const CORDBG_E_ENC_IN_FUNCLET: HRESULT = 0x80131C0C_u32 as HRESULT;
pub const CORDBG_E_ENC_EDIT_NOT_SUPPORTED: HRESULT = 0x80131C0E_u32 as HRESULT;
pub const CORDBG_E_NOTREADY: HRESULT = 0x80131C10_u32 as HRESULT;
pub const CORDBG_E_CANNOT_RESOLVE_ASSEMBLY: HRESULT = 0x80131C11_u32 as HRESULT;
pub const CORDBG_E_MUST_BE_IN_LOAD_MODULE: HRESULT = 0x80131C12_u32 as HRESULT;
pub const CORDBG_E_CANNOT_BE_ON_ATTACH: HRESULT = 0x80131C13_u32 as HRESULT;
pub const CORDBG_E_NGEN_NOT_SUPPORTED: HRESULT = 0x80131C14_u32 as HRESULT;
pub const CORDBG_E_ILLEGAL_SHUTDOWN_ORDER: HRESULT = 0x80131C15_u32 as HRESULT;
pub const CORDBG_E_CANNOT_DEBUG_FIBER_PROCESS: HRESULT = 0x80131C16_u32 as HRESULT;
pub const CORDBG_E_MUST_BE_IN_CREATE_PROCESS: HRESULT = 0x80131C17_u32 as HRESULT;
pub const CORDBG_E_DETACH_FAILED_OUTSTANDING_EVALS: HRESULT = 0x80131C18_u32 as HRESULT;
pub const CORDBG_E_DETACH_FAILED_OUTSTANDING_STEPPERS: HRESULT = 0x80131C19_u32 as HRESULT;
pub const CORDBG_E_CANT_INTEROP_STEP_OUT: HRESULT = 0x80131C20_u32 as HRESULT;
pub const CORDBG_E_DETACH_FAILED_OUTSTANDING_BREAKPOINTS: HRESULT = 0x80131C21_u32 as HRESULT;
pub const CORDBG_E_ILLEGAL_IN_STACK_OVERFLOW: HRESULT = 0x80131C22_u32 as HRESULT;
pub const CORDBG_E_ILLEGAL_AT_GC_UNSAFE_POINT: HRESULT = 0x80131C23_u32 as HRESULT;
pub const CORDBG_E_ILLEGAL_IN_PROLOG: HRESULT = 0x80131C24_u32 as HRESULT;
pub const CORDBG_E_ILLEGAL_IN_NATIVE_CODE: HRESULT = 0x80131C25_u32 as HRESULT;
pub const CORDBG_E_ILLEGAL_IN_OPTIMIZED_CODE: HRESULT = 0x80131C26_u32 as HRESULT;
pub const CORDBG_E_APPDOMAIN_MISMATCH: HRESULT = 0x80131C28_u32 as HRESULT;
pub const CORDBG_E_CONTEXT_UNVAILABLE: HRESULT = 0x80131C29_u32 as HRESULT;
pub const CORDBG_E_INCOMPATIBLE_PLATFORMS: HRESULT = 0x80131C30_u32 as HRESULT;
pub const CORDBG_E_DEBUGGING_DISABLED: HRESULT = 0x80131C31_u32 as HRESULT;
pub const CORDBG_E_DETACH_FAILED_ON_ENC: HRESULT = 0x80131C32_u32 as HRESULT;
pub const CORDBG_E_CURRENT_EXCEPTION_IS_OUTSIDE_CURRENT_EXECUTION_SCOPE: HRESULT = 0x80131C33_u32 as HRESULT;
pub const CORDBG_E_HELPER_MAY_DEADLOCK: HRESULT = 0x80131C34_u32 as HRESULT;
pub const CORDBG_E_MISSING_METADATA: HRESULT = 0x80131C35_u32 as HRESULT;
pub const CORDBG_E_TARGET_INCONSISTENT: HRESULT = 0x80131C36_u32 as HRESULT;
pub const CORDBG_E_DETACH_FAILED_OUTSTANDING_TARGET_RESOURCES: HRESULT = 0x80131C37_u32 as HRESULT;
pub const CORDBG_E_TARGET_READONLY: HRESULT = 0x80131C38_u32 as HRESULT;
pub const CORDBG_E_MISMATCHED_CORWKS_AND_DACWKS_DLLS: HRESULT = 0x80131C39_u32 as HRESULT;
pub const CORDBG_E_MODULE_LOADED_FROM_DISK: HRESULT = 0x80131C3A_u32 as HRESULT;
pub const CORDBG_E_SYMBOLS_NOT_AVAILABLE: HRESULT = 0x80131C3B_u32 as HRESULT;
pub const CORDBG_E_DEBUG_COMPONENT_MISSING: HRESULT = 0x80131C3C_u32 as HRESULT;
pub const CORDBG_E_LIBRARY_PROVIDER_ERROR: HRESULT = 0x80131C43_u32 as HRESULT;
pub const CORDBG_E_NOT_CLR: HRESULT = 0x80131C44_u32 as HRESULT;
pub const CORDBG_E_MISSING_DATA_TARGET_INTERFACE: HRESULT = 0x80131C45_u32 as HRESULT;
pub const CORDBG_E_UNSUPPORTED_DEBUGGING_MODEL: HRESULT = 0x80131C46_u32 as HRESULT;
pub const CORDBG_E_UNSUPPORTED_FORWARD_COMPAT: HRESULT = 0x80131C47_u32 as HRESULT;
pub const CORDBG_E_UNSUPPORTED_VERSION_STRUCT: HRESULT = 0x80131C48_u32 as HRESULT;
pub const CORDBG_E_READVIRTUAL_FAILURE: HRESULT = 0x80131C49_u32 as HRESULT;
pub const CORDBG_E_VALUE_POINTS_TO_FUNCTION: HRESULT = 0x80131C4A_u32 as HRESULT;
pub const CORDBG_E_CORRUPT_OBJECT: HRESULT = 0x80131C4B_u32 as HRESULT;
pub const CORDBG_E_GC_STRUCTURES_INVALID: HRESULT = 0x80131C4C_u32 as HRESULT;
pub const CORDBG_E_INVALID_OPCODE: HRESULT = 0x80131C4D_u32 as HRESULT;
pub const CORDBG_E_UNSUPPORTED: HRESULT = 0x80131C4E_u32 as HRESULT;
pub const CORDBG_E_MISSING_DEBUGGER_EXPORTS: HRESULT = 0x80131C4F_u32 as HRESULT;
pub const CORDBG_E_DATA_TARGET_ERROR: HRESULT = 0x80131C61_u32 as HRESULT;
pub const CORDBG_E_UNSUPPORTED_DELEGATE: HRESULT = 0x80131C68_u32 as HRESULT;
pub const CORDBG_E_ASSEMBLY_UPDATES_APPLIED: HRESULT = 0x80131C69_u32 as HRESULT;
pub const PEFMT_E_64BIT: HRESULT = 0x80131D02_u32 as HRESULT;
pub const PEFMT_E_32BIT: HRESULT = 0x80131D0B_u32 as HRESULT;
pub const CLDB_E_INTERNALERROR: HRESULT = 0x80131FFF_u32 as HRESULT;
pub const CLR_E_BIND_ASSEMBLY_VERSION_TOO_LOW: HRESULT = 0x80132000_u32 as HRESULT;
pub const CLR_E_BIND_ASSEMBLY_PUBLIC_KEY_MISMATCH: HRESULT = 0x80132001_u32 as HRESULT;
pub const CLR_E_BIND_IMAGE_UNAVAILABLE: HRESULT = 0x80132002_u32 as HRESULT;
pub const CLR_E_BIND_UNRECOGNIZED_IDENTITY_FORMAT: HRESULT = 0x80132003_u32 as HRESULT;
pub const CLR_E_BIND_ASSEMBLY_NOT_FOUND: HRESULT = 0x80132004_u32 as HRESULT;
pub const CLR_E_BIND_TYPE_NOT_FOUND: HRESULT = 0x80132005_u32 as HRESULT;
pub const CLR_E_GC_OOM: HRESULT = 0x80132009_u32 as HRESULT;
pub const CLR_E_GC_BAD_AFFINITY_CONFIG: HRESULT = 0x8013200A_u32 as HRESULT;
pub const CLR_E_GC_BAD_AFFINITY_CONFIG_FORMAT: HRESULT = 0x8013200B_u32 as HRESULT;
pub const CLR_E_GC_BAD_HARD_LIMIT: HRESULT = 0x8013200D_u32 as HRESULT;
pub const CLR_E_GC_LARGE_PAGE_MISSING_HARD_LIMIT: HRESULT = 0x8013200E_u32 as HRESULT;
pub const CLR_E_GC_BAD_REGION_SIZE: HRESULT = 0x8013200F_u32 as HRESULT;
pub const COR_E_AMBIGUOUSMATCH: HRESULT = 0x8000211D_u32 as HRESULT;
pub const COR_E_TARGETPARAMCOUNT: HRESULT = 0x8002000E_u32 as HRESULT;
pub const COR_E_DIVIDEBYZERO: HRESULT = 0x80020012_u32 as HRESULT;
pub const COR_E_BADIMAGEFORMAT: HRESULT = 0x8007000B_u32 as HRESULT;
