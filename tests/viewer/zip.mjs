// Writes .zip files, whole or damaged (APPNOTE.TXT 6.3: local header, data, central directory, its end).
import { deflateRawSync } from 'node:zlib';

/** A .zip of some files, in the order of the object. */
export function zip(files) {
  const [locals, centrals] = [[], []];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const [packed, title] = [deflateRawSync(content), Buffer.from(name)];
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(title.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, title, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    centrals.push(Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), common, rest, title]));
    locals.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(centrals.length, 4);
  end.writeUInt16LE(centrals.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end]);
}

function crc(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
    }
  }
  return (sum ^ 0xffffffff) >>> 0;
}
