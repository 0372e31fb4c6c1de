import { PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { fileSystemsIn, filesIn, MOST_ANSWER_BYTES } from './answers'
import { openLink } from './link'

function linked() {
  const [input, output, end] = [new PassThrough(), new PassThrough(), vi.fn()]
  return { ...openLink({ input, output, end }), input, output, end }
}
const unreadable = { code: 'unreadable' }

it('asks one question at a time, and takes answers in any pieces', async () => {
  const { ask, input, output, end } = linked()
  const answers = [ask('first', 1000), ask('second', 1000), ask('third', 1000)]
  await vi.waitFor(() => expect(String(input.read())).toBe('first\n'))
  for (const byte of Buffer.from('ok 3\na\nb')) output.write(Buffer.from([byte]))
  expect(String(await answers[0])).toBe('a\nb')
  await vi.waitFor(() => expect(String(input.read())).toBe('second\n'))
  output.write('missing 0\n')
  await expect(answers[1]).rejects.toMatchObject({ code: 'missing' })
  await vi.waitFor(() => expect(String(input.read())).toBe('third\n'))
  output.write('failed 0\n')
  await expect(answers[2]).rejects.toMatchObject(unreadable)
  expect(end).not.toHaveBeenCalled()
})

it('ends a guest that answers late, too much, nonsense or without a question', async () => {
  const late = linked()
  await expect(late.ask('list', 20)).rejects.toMatchObject(unreadable)
  expect(late.end).toHaveBeenCalledOnce()
  await expect(late.ask('list', 20)).rejects.toMatchObject(unreadable)
  for (const said of [`ok ${MOST_ANSWER_BYTES + 1}\n`, 'ok -1\n', 'ok 1\nab', 'x'.repeat(65), '\n']) {
    const { ask, output, end } = linked()
    const answer = ask('list', 1000)
    await Promise.resolve()
    output.write(said)
    await expect(answer, said.slice(0, 20)).rejects.toMatchObject(unreadable)
    expect(end).toHaveBeenCalledOnce()
  }
  const talking = linked()
  talking.output.write('ok 0\n')
  await vi.waitFor(() => expect(talking.end).toHaveBeenCalledOnce())
})

it('reads names as bytes, and leaves out what the guest cut off', () => {
  const record = (...fields: (string | Buffer)[]) => fields.flatMap((one) => [Buffer.from(one as string), Buffer.of(0)])
  const name = Buffer.from([0x2e, 0x2e, 0x0a, 0xff])
  const answer = Buffer.concat([
    ...record('f', '12', '1700000000.5', '1000', '', name),
    ...record('s', '-1', 'nonsense', '-5', '', 'x'),
    ...record('d', '4096', '0'),
  ])
  expect(filesIn(answer)).toEqual({
    files: [
      { name, kind: 'file', sizeBytes: 12, modified: 1700000000, owner: 1000, linkTarget: Buffer.alloc(0) },
      { name: Buffer.from('x'), kind: 'other', sizeBytes: 0, modified: 0, owner: 0, linkTarget: Buffer.alloc(0) },
    ],
    isCut: false,
  })
  const { files, isCut } = filesIn(Buffer.alloc(MOST_ANSWER_BYTES))
  expect([files.length, isCut]).toEqual([100_000, true])
  const [found] = fileSystemsIn(Buffer.concat(record('1', 'vg0/data', 'ext4', 'home', '1048576', '', 'curious')))
  expect(found).toMatchObject({ number: 1, id: 'vg0/data', sizeBytes: 1048576, usedBytes: null, state: 'damaged' })
})
