//! The part of Python's pickle format that describes tensors. Nothing runs: a pickle is a program for a machine with a
//! stack, and this machine knows the few instructions that make tensors and their names. It refuses all others, and all
//! functions but the two that PyTorch rebuilds tensors with, by their names.

use crate::stored::Encoding;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// Shapes are copied for each tensor, so that a long one in many tensors would fill the memory.
const MOST_DIMENSIONS: usize = 16;

/// Tuples of the description of a tensor are at most this deep.
const MOST_NESTED: usize = 4;

/// A tensor as it is described: a part of a storage.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Described {
    pub(crate) storage: Rc<Storage>,
    /// Its first number.
    pub(crate) offset: usize,
    pub(crate) shape: Vec<usize>,
    /// By dimension: how many numbers lie between two neighbours.
    pub(crate) strides: Vec<usize>,
}

/// Numbers in a part of the file that `key` names.
#[derive(Debug, PartialEq)]
pub(crate) struct Storage {
    pub(crate) key: Rc<str>,
    pub(crate) encoding: Encoding,
    /// The number of its numbers.
    pub(crate) count: usize,
}

/// What a pickle makes.
#[derive(Debug, Default)]
pub(crate) struct Unpickled {
    /// The tensors by their names, if it makes a dictionary of them.
    pub(crate) tensors: BTreeMap<String, Described>,
    /// The texts, if it makes a list of texts.
    pub(crate) texts: Vec<Rc<str>>,
    /// The whole number, if it makes one.
    pub(crate) number: Option<i64>,
}

/// A value on the stack. Dictionaries and lists are numbers of those of the machine.
#[derive(Debug, Clone)]
enum Value {
    Number(i64),
    Text(Rc<str>),
    Tuple(Rc<Vec<Value>>, usize),
    Dictionary(usize),
    List(usize),
    Function(Function),
    Numbers(Encoding),
    Storage(Rc<Storage>),
    Tensor(Rc<Described>),
    /// A value that describes no tensor.
    Other,
}

/// The functions that rebuild tensors.
#[derive(Debug, Clone, Copy)]
enum Function {
    Dictionary,
    Tensor,
    Parameter,
}

/// Reads one pickle after another.
pub(crate) struct Machine<'a> {
    bytes: &'a [u8],
    pub(crate) at: usize,
    stack: Vec<Value>,
    /// Where the values of a tuple, or of some entries, begin in the stack.
    marks: Vec<usize>,
    memo: HashMap<u32, Value>,
    dictionaries: Vec<BTreeMap<Rc<str>, Rc<Described>>>,
    lists: Vec<Vec<Rc<str>>>,
}

const CUT: &str = "it is cut";
const GARBLED: &str = "its description of the tensors is garbled";

impl<'a> Machine<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let (stack, marks, memo) = (Vec::new(), Vec::new(), HashMap::new());
        Self { bytes, at: 0, stack, marks, memo, dictionaries: Vec::new(), lists: Vec::new() }
    }

    /// Runs the next pickle to its end.
    pub(crate) fn run(&mut self) -> Result<Unpickled, String> {
        self.stack.clear();
        self.marks.clear();
        self.memo.clear();
        loop {
            let instruction = self.byte()?;
            if instruction == b'.' {
                return Ok(match self.pop()? {
                    Value::Dictionary(number) => {
                        let tensors = self.dictionaries.get_mut(number).map(std::mem::take).unwrap_or_default();
                        let own = tensors.iter().map(|(name, tensor)| (name.as_ref().into(), Described::clone(tensor)));
                        Unpickled { tensors: own.collect(), ..Unpickled::default() }
                    }
                    Value::List(number) => {
                        let texts = self.lists.get_mut(number).map(std::mem::take).unwrap_or_default();
                        Unpickled { texts, ..Unpickled::default() }
                    }
                    Value::Number(number) => Unpickled { number: Some(number), ..Unpickled::default() },
                    _ => Unpickled::default(),
                });
            }
            self.step(instruction)?;
        }
    }

    fn step(&mut self, instruction: u8) -> Result<(), String> {
        match instruction {
            // The version of the format; the length of a frame.
            0x80 => _ = self.byte()?,
            0x95 => _ = self.take(8)?,
            b'(' => self.marks.push(self.stack.len()),
            b'0' => _ = self.pop()?,
            b'N' => self.stack.push(Value::Other),
            0x88 => self.stack.push(Value::Number(1)),
            0x89 => self.stack.push(Value::Number(0)),
            b'G' => {
                self.take(8)?;
                self.stack.push(Value::Other);
            }
            b'K' | b'M' | b'J' | 0x8a => self.number(instruction)?,
            b'X' | 0x8c | b'U' | b'T' => self.text(instruction)?,
            b'}' | b']' => self.container(instruction),
            b')' | b't' | 0x85..=0x87 => self.tuple(instruction)?,
            b'q' | b'r' | 0x94 => self.remember(instruction)?,
            b'h' | b'j' => {
                let key = self.key(instruction == b'h')?;
                let value = self.memo.get(&key).cloned().ok_or(GARBLED)?;
                self.stack.push(value);
            }
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.stack.push(global(&module, &name)?);
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let (Value::Text(module), Value::Text(name)) = (module, name) else { return Err(GARBLED.into()) };
                self.stack.push(global(&module, &name)?);
            }
            b'Q' => self.storage()?,
            b'R' => self.call()?,
            // Attributes of an object, as the versions of PyTorch's modules.
            b'b' => _ = self.pop()?,
            b's' | b'u' => self.set_entries(instruction == b's')?,
            b'a' | b'e' => self.append(instruction == b'a')?,
            _ => return Err(format!("its description has the instruction {instruction:#04x}, which no tensor needs")),
        }
        Ok(())
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(count).ok_or(CUT)?;
        let taken = self.bytes.get(self.at..end).ok_or(CUT)?;
        self.at = end;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, String> {
        Ok(self.take(1)?[0])
    }

    fn u32(&mut self) -> Result<u32, String> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn pop(&mut self) -> Result<Value, String> {
        // A value below a mark belongs to what stands around it.
        let bottom = self.marks.last().copied().unwrap_or(0);
        if self.stack.len() > bottom { self.stack.pop().ok_or_else(|| GARBLED.into()) } else { Err(GARBLED.into()) }
    }

    fn line(&mut self) -> Result<String, String> {
        const LONGEST: usize = 256;
        let rest = &self.bytes[self.at..];
        let end = rest.iter().take(LONGEST).position(|&byte| byte == b'\n').ok_or(GARBLED)?;
        self.at += end + 1;
        Ok(String::from_utf8_lossy(&rest[..end]).into_owned())
    }

    fn number(&mut self, instruction: u8) -> Result<(), String> {
        let value = match instruction {
            b'K' => Value::Number(i64::from(self.byte()?)),
            b'M' => Value::Number(i64::from(u16::from_le_bytes([self.byte()?, self.byte()?]))),
            b'J' => Value::Number(i64::from(self.u32()? as i32)),
            _ => {
                let length = usize::from(self.byte()?);
                let bytes = self.take(length)?;
                // Numbers of more than 64 bits count nothing.
                if length > 8 {
                    Value::Other
                } else {
                    let fill = if bytes.last().is_some_and(|last| *last >= 0x80) { 0xff } else { 0 };
                    let mut number = [fill; 8];
                    number[..length].copy_from_slice(bytes);
                    Value::Number(i64::from_le_bytes(number))
                }
            }
        };
        self.stack.push(value);
        Ok(())
    }

    fn text(&mut self, instruction: u8) -> Result<(), String> {
        let length = if matches!(instruction, b'X' | b'T') { self.u32()? as usize } else { usize::from(self.byte()?) };
        let text = str::from_utf8(self.take(length)?).map_err(|_| "a name in it is not text")?;
        self.stack.push(Value::Text(text.into()));
        Ok(())
    }

    fn container(&mut self, instruction: u8) {
        self.stack.push(if instruction == b'}' {
            self.dictionaries.push(BTreeMap::new());
            Value::Dictionary(self.dictionaries.len() - 1)
        } else {
            self.lists.push(Vec::new());
            Value::List(self.lists.len() - 1)
        });
    }

    /// The values from the last mark on.
    fn marked(&mut self) -> Result<Vec<Value>, String> {
        let start = self.marks.pop().ok_or(GARBLED)?;
        Ok(self.stack.split_off(start.min(self.stack.len())))
    }

    fn tuple(&mut self, instruction: u8) -> Result<(), String> {
        let values = match instruction {
            b')' => Vec::new(),
            b't' => self.marked()?,
            _ => {
                let mut values = Vec::new();
                for _ in 0x85..=instruction {
                    values.push(self.pop()?);
                }
                values.reverse();
                values
            }
        };
        let depth = |value: &Value| if let Value::Tuple(_, depth) = value { *depth } else { 0 };
        let depth = 1 + values.iter().map(depth).max().unwrap_or(0);
        if depth > MOST_NESTED {
            return Err(GARBLED.into());
        }
        self.stack.push(Value::Tuple(values.into(), depth));
        Ok(())
    }

    fn key(&mut self, short: bool) -> Result<u32, String> {
        if short { self.byte().map(u32::from) } else { self.u32() }
    }

    fn remember(&mut self, instruction: u8) -> Result<(), String> {
        let key = match instruction {
            0x94 => u32::try_from(self.memo.len()).map_err(|_| GARBLED)?,
            _ => self.key(instruction == b'q')?,
        };
        let value = self.stack.last().cloned().ok_or(GARBLED)?;
        self.memo.insert(key, value);
        Ok(())
    }

    /// `("storage", type, key, device, count)`, and in older files a view of the storage, which is none.
    fn storage(&mut self) -> Result<(), String> {
        let Value::Tuple(values, _) = self.pop()? else { return Err(GARBLED.into()) };
        let (Some(Value::Numbers(encoding)), Some(Value::Text(key)), Some(Value::Number(count))) =
            (values.get(1), values.get(2), values.get(4))
        else {
            return Err(GARBLED.into());
        };
        if !matches!(values.get(5), None | Some(Value::Other)) {
            return Err("a storage in it is a part of another; save the model again".into());
        }
        let count = usize::try_from(*count).map_err(|_| GARBLED)?;
        self.stack.push(Value::Storage(Rc::new(Storage { key: Rc::clone(key), encoding: *encoding, count })));
        Ok(())
    }

    fn call(&mut self) -> Result<(), String> {
        let (arguments, function) = (self.pop()?, self.pop()?);
        let (Value::Tuple(arguments, _), Value::Function(function)) = (arguments, function) else {
            return Err(GARBLED.into());
        };
        let made = match function {
            Function::Dictionary => {
                return {
                    self.container(b'}');
                    Ok(())
                };
            }
            Function::Tensor => tensor(&arguments)?,
            Function::Parameter => arguments.first().cloned().ok_or(GARBLED)?,
        };
        self.stack.push(made);
        Ok(())
    }

    fn set_entries(&mut self, only: bool) -> Result<(), String> {
        let entries = if only {
            let (value, key) = (self.pop()?, self.pop()?);
            vec![key, value]
        } else {
            self.marked()?
        };
        let Some(Value::Dictionary(number)) = self.stack.last() else { return Err(GARBLED.into()) };
        let dictionary = &mut self.dictionaries[*number];
        for pair in entries.chunks_exact(2) {
            if let [Value::Text(name), Value::Tensor(tensor)] = pair {
                dictionary.insert(Rc::clone(name), Rc::clone(tensor));
            }
        }
        Ok(())
    }

    fn append(&mut self, only: bool) -> Result<(), String> {
        let values = if only { vec![self.pop()?] } else { self.marked()? };
        let Some(Value::List(number)) = self.stack.last() else { return Err(GARBLED.into()) };
        let texts =
            values.into_iter().filter_map(|value| if let Value::Text(text) = value { Some(text) } else { None });
        self.lists[*number].extend(texts);
        Ok(())
    }
}

/// The function or the type of numbers of this name.
fn global(module: &str, name: &str) -> Result<Value, String> {
    Ok(match (module, name) {
        ("collections", "OrderedDict") => Value::Function(Function::Dictionary),
        ("torch._utils", "_rebuild_tensor_v2") => Value::Function(Function::Tensor),
        ("torch._utils", "_rebuild_parameter") => Value::Function(Function::Parameter),
        ("torch", "FloatStorage") => Value::Numbers(Encoding::F32),
        ("torch", "HalfStorage") => Value::Numbers(Encoding::F16),
        ("torch", "BFloat16Storage") => Value::Numbers(Encoding::Bf16),
        ("torch", "DoubleStorage") => Value::Numbers(Encoding::F64),
        ("torch", "LongStorage") => Value::Numbers(Encoding::I64),
        ("torch", "IntStorage") => Value::Numbers(Encoding::I32),
        ("torch", "ShortStorage") => Value::Numbers(Encoding::I16),
        ("torch", "CharStorage") => Value::Numbers(Encoding::I8),
        ("torch", "ByteStorage" | "BoolStorage") => Value::Numbers(Encoding::U8),
        _ => {
            let (module, name) = (metaphrase_base::shown(module), metaphrase_base::shown(name));
            return Err(format!("it calls `{module}.{name}`, which no tensor needs, so it is not read"));
        }
    })
}

/// `_rebuild_tensor_v2(storage, offset, shape, strides, …)`.
fn tensor(arguments: &[Value]) -> Result<Value, String> {
    let [Value::Storage(storage), Value::Number(offset), Value::Tuple(shape, _), Value::Tuple(strides, _), ..] =
        arguments
    else {
        return Err(GARBLED.into());
    };
    let size = |value: &Value| match value {
        Value::Number(number) => usize::try_from(*number).map_err(|_| GARBLED.to_owned()),
        _ => Err(GARBLED.to_owned()),
    };
    if shape.len().max(strides.len()) > MOST_DIMENSIONS {
        return Err(format!("a tensor in it has more than {MOST_DIMENSIONS} dimensions"));
    }
    let sizes = |values: &[Value]| values.iter().map(size).collect::<Result<Vec<_>, _>>();
    Ok(Value::Tensor(Rc::new(Described {
        storage: Rc::clone(storage),
        offset: size(&Value::Number(*offset))?,
        shape: sizes(shape)?,
        strides: sizes(strides)?,
    })))
}
