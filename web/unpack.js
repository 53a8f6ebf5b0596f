// Unpacks the page's module (`crates/xtask/src/pack.rs` packs it and runs this to see that it comes
// out as it was): LZMA over the module's code taken apart by kinds. A third less than gzip.

/** The module. */
export function unpacked(file) {
  return joined(unlzma(file));
}

/** Puts code together again whose opcodes and operands lie apart, each kind for itself, without sizes of functions. */
function joined(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const KINDS = 17;
  const from = [4 + 4 * KINDS];
  for (let i = 0; i < KINDS; i++) from.push(from[i] + view.getUint32(4 + 4 * i, true));
  const [BEFORE, GET, SET, OP, HEAD, LOAD, STORE, INT, LONG, CALL, BREAK, BREAK_IF, TABLE, TYPE, OTHER, FLOAT, AFTER] =
    Array(KINDS).keys();
  const length = view.getUint32(0, true);
  const out = new Uint8Array(length + 8);
  const at = Uint32Array.from(from);
  let to = 0;
  const copy = (kind, n) => {
    for (; n > 0; n--) out[to++] = bytes[at[kind]++];
  };
  const number = (kind) => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at[kind]++];
      out[to++] = byte;
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
  };
  copy(BEFORE, from[1] - from[0]);
  for (let functions = number(HEAD); functions > 0; functions--) {
    // Its size comes before it, in one to five bytes: room for it first.
    const begin = to;
    to += 5;
    for (let groups = number(HEAD); groups > 0; groups--) {
      number(HEAD);
      copy(HEAD, 1);
    }
    for (let depth = 1; depth > 0; ) {
      const op = bytes[at[OP]++];
      out[to++] = op;
      if (op === 0x20) number(GET);
      else if (op === 0x21 || op === 0x22) number(SET);
      else if (op === 0x41) number(INT);
      else if (op === 0x42) number(LONG);
      else if (op >= 0x28 && op <= 0x3e) {
        number(OP);
        number(op < 0x36 ? LOAD : STORE);
      } else if (op === 0x0b) depth--;
      else if (op >= 0x02 && op <= 0x04) {
        depth++;
        number(TYPE);
      } else if (op === 0x10) number(CALL);
      else if (op === 0x0c) number(BREAK);
      else if (op === 0x0d) number(BREAK_IF);
      else if (op === 0x0e) for (let n = number(TABLE) + 1; n > 0; n--) number(TABLE);
      else if (op === 0x11) {
        number(TYPE);
        number(OTHER);
      } else if ((op >= 0x23 && op <= 0x26) || op === 0x3f || op === 0x40 || op === 0xd0 || op === 0xd2) number(OTHER);
      else if (op === 0x43) copy(FLOAT, 4);
      else if (op === 0x44) copy(FLOAT, 8);
      else if (op === 0x1c) for (let n = number(OTHER); n > 0; n--) number(OTHER);
      else if (op === 0xfc) {
        const more = number(OP);
        if (more === 8 || more === 10 || more === 12 || more === 14) number(OTHER);
        if (more >= 8 && more <= 17) number(OTHER);
      }
    }
    const end = to;
    to = begin;
    let size = end - begin - 5;
    for (; size > 127; size >>= 7) out[to++] = (size & 127) | 128;
    out[to++] = size;
    out.copyWithin(to, begin + 5, end);
    to += end - begin - 5;
  }
  copy(AFTER, from[KINDS] - from[KINDS - 1]);
  return out.subarray(0, length);
}

/** Unpacks an .lzma file, after the public-domain specification of LZMA. */
function unlzma(file) {
  const lc = file[0] % 9;
  const lp = Math.floor(file[0] / 9) % 5;
  const pb = Math.floor(file[0] / 45);
  const out = new Uint8Array(new DataView(file.buffer, file.byteOffset).getUint32(5, true));
  // All probabilities in one array; each name is where its own begin.
  const [IS_MATCH, IS_REP, IS_REP0_LONG, SLOT, SPECIAL, ALIGN, LEN, REP_LEN] = [0, 192, 240, 432, 688, 816, 832, 1346];
  const LITERAL = 1860;
  const odds = new Uint16Array(LITERAL + (0x300 << (lc + lp))).fill(1024);
  let from = 18;
  // Range and code. In an array of theirs they stay machine words.
  const now = Uint32Array.of(0xffffffff, new DataView(file.buffer, file.byteOffset).getUint32(14));
  const widen = () => {
    now[0] <<= 8;
    now[1] = (now[1] << 8) | file[from++];
  };
  const bit = (i) => {
    const p = odds[i];
    const bound = Math.imul(now[0] >>> 11, p) >>> 0;
    let is = 0;
    if (now[1] < bound) {
      now[0] = bound;
      odds[i] = p + ((2048 - p) >> 5);
    } else {
      now[0] -= bound;
      now[1] -= bound;
      odds[i] = p - (p >> 5);
      is = 1;
    }
    if (now[0] < 0x1000000) widen();
    return is;
  };
  const tree = (i, bits) => {
    let m = 1;
    for (let k = 0; k < bits; k++) m = m * 2 + bit(i + m);
    return m - (1 << bits);
  };
  const reverse = (i, bits) => {
    let m = 1;
    let value = 0;
    for (let k = 0; k < bits; k++) {
      const b = bit(i + m);
      m = m * 2 + b;
      value += b << k;
    }
    return value;
  };
  const direct = (bits) => {
    let value = 0;
    for (; bits > 0; bits--) {
      now[0] >>>= 1;
      const b = now[1] >= now[0] ? 1 : 0;
      if (b) now[1] -= now[0];
      value = value * 2 + b;
      if (now[0] < 0x1000000) widen();
    }
    return value;
  };
  const length = (i, near) => {
    if (!bit(i)) return 2 + tree(i + 2 + near * 8, 3);
    if (!bit(i + 1)) return 10 + tree(i + 130 + near * 8, 3);
    return 18 + tree(i + 258, 8);
  };
  let state = 0;
  let [rep0, rep1, rep2, rep3] = [0, 0, 0, 0];
  let to = 0;
  while (to < out.length) {
    const near = to & ((1 << pb) - 1);
    if (!bit(IS_MATCH + state * 16 + near)) {
      const before = to > 0 ? out[to - 1] : 0;
      const at = LITERAL + 0x300 * (((to & ((1 << lp) - 1)) << lc) + (before >> (8 - lc)));
      let m = 1;
      if (state >= 7) {
        let match = out[to - rep0 - 1];
        do {
          const b = (match >> 7) & 1;
          match <<= 1;
          const c = bit(at + ((1 + b) << 8) + m);
          m = m * 2 + c;
          if (b !== c) break;
        } while (m < 0x100);
      }
      while (m < 0x100) m = m * 2 + bit(at + m);
      out[to++] = m;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let run;
    if (bit(IS_REP + state)) {
      if (!bit(IS_REP + 12 + state)) {
        if (!bit(IS_REP0_LONG + state * 16 + near)) {
          state = state < 7 ? 9 : 11;
          out[to] = out[to - rep0 - 1];
          to++;
          continue;
        }
      } else if (!bit(IS_REP + 24 + state)) {
        [rep0, rep1] = [rep1, rep0];
      } else if (!bit(IS_REP + 36 + state)) {
        [rep0, rep1, rep2] = [rep2, rep0, rep1];
      } else {
        [rep0, rep1, rep2, rep3] = [rep3, rep0, rep1, rep2];
      }
      run = length(REP_LEN, near);
      state = state < 7 ? 8 : 11;
    } else {
      run = length(LEN, near);
      state = state < 7 ? 7 : 10;
      const slot = tree(SLOT + Math.min(run - 2, 3) * 64, 6);
      [rep1, rep2, rep3] = [rep0, rep1, rep2];
      rep0 = slot;
      if (slot >= 4) {
        const bits = (slot >> 1) - 1;
        rep0 = (2 | (slot & 1)) << bits;
        rep0 += slot < 14 ? reverse(SPECIAL + rep0 - slot, bits) : direct(bits - 4) * 16 + reverse(ALIGN, 4);
      }
      if (rep0 === 0xffffffff) break; // the mark of the end
      if (rep0 >= to) throw new Error("the file is damaged");
    }
    for (; run > 0 && to < out.length; run--, to++) out[to] = out[to - rep0 - 1];
  }
  return out;
}
