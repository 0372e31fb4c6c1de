import type { Found, FoundFile, FoundFileSystem } from '../../file-reader'

/* Answers of the guest: fields that end with a NUL. It may be in the hands of whoever wrote the file system. */

/** Maximum length of an answer. The guest cuts lists at this length. */
export const MOST_ANSWER_BYTES = 16 * 1024 * 1024

/** Maximum number of records that are read from an answer. */
const MOST_RECORDS = 100_000

const kinds: Readonly<Record<string, FoundFile['kind']>> = { f: 'file', d: 'folder', l: 'link' }
const states = ['readable', 'no_driver', 'encrypted', 'damaged'] as const

/** The first records of an answer, each of `count` fields. An incomplete one at the end is left out. */
function* recordsIn(answer: Buffer, count: number): Generator<Buffer[]> {
  let fields: Buffer[] = []
  for (let from = 0, records = 0; records < MOST_RECORDS;) {
    const end = answer.indexOf(0, from)
    if (end < 0) return
    fields.push(answer.subarray(from, end))
    from = end + 1
    if (fields.length < count) continue
    yield fields
    records++
    fields = []
  }
}

const numberIn = (field: Buffer): number => {
  const value = Number(field.toString('latin1'))
  return Number.isFinite(value) ? Math.trunc(value) : 0
}
const sizeIn = (field: Buffer): number => Math.min(Math.max(0, numberIn(field)), Number.MAX_SAFE_INTEGER)

export function filesIn(answer: Buffer): Found {
  const files = [...recordsIn(answer, 6)].map(([type, size, time, owner, target, name]) => ({
    name: name!,
    kind: kinds[type!.toString('latin1')] ?? 'other',
    sizeBytes: sizeIn(size!),
    modified: numberIn(time!),
    owner: sizeIn(owner!),
    linkTarget: target!,
  }))
  return { files, isCut: answer.length >= MOST_ANSWER_BYTES || files.length >= MOST_RECORDS }
}

/** The file systems, with the number by which the guest knows each. */
export const fileSystemsIn = (answer: Buffer): (FoundFileSystem & { number: number })[] =>
  [...recordsIn(answer, 7)].map(([number, id, type, label, size, used, state]) => ({
    number: numberIn(number!),
    id: id!.toString('utf8'),
    type: type!.toString('utf8'),
    label: label!,
    sizeBytes: sizeIn(size!),
    usedBytes: used!.length === 0 ? null : sizeIn(used!),
    state: states.find((one) => one === state!.toString('latin1')) ?? 'damaged',
  }))
