import { expect, test } from 'vitest'
import { readChecklist, readOpenItems } from '../lib/checklist.mjs'
import { isTest, readText, repositoryFiles } from '../lib/repository.mjs'
import { hidesId, holdsTests, idsIn, testsIn } from '../lib/test-titles.mjs'

const items = readChecklist()
const files = repositoryFiles().filter(isTest)
const tests = repositoryFiles()
  .filter(holdsTests)
  .flatMap((file) => testsIn(file, readText(file)).map((one) => ({ file, ...one })))

const unknownIds = (title: string) => idsIn(title).filter((id) => !items.has(id))
const leftOut = ['only', 'skip', 'todo', 'fixme', 'fails']

test('every ID in a test title exists in the checklist', () => {
  const faults = tests.flatMap(({ file, line, title }) => unknownIds(title).map((id) => `${file}:${line} names ${id}`))
  expect(faults).toEqual([])
  expect(tests.length).toBeGreaterThan(20)
})

test('no test title computes an ID', () => {
  const faults = tests.flatMap(({ file, line, title }) =>
    hidesId(title) ? [`${file}:${line} computes an id: ${title}`] : [],
  )
  expect(faults).toEqual([])
  expect(
    ['a step [${id}]', 'a step [RT-0${number}]'].map((title) => titlesOf(`test(\`${title}\`, () => {})`)[0]![0]),
  ).toSatisfy((titles: string[]) => titles.every(hidesId))
  expect(hidesId('a step of [many] [RT-052]')).toBe(false)
})

test('open items exist in the checklist, have a reason, and are not covered by a test', () => {
  const open = readOpenItems()
  const claimed = new Map(tests.flatMap(({ file, line, title }) => idsIn(title).map((id) => [id, `${file}:${line}`])))
  const faults = [...open].flatMap(([id, reason]) => [
    ...(items.has(id) ? [] : [`${id} is no item`]),
    ...(reason ? [] : [`${id} has no reason`]),
    ...(claimed.has(id) ? [`${id} is claimed at ${claimed.get(id)}`] : []),
  ])
  expect(faults).toEqual([])
})

test('no test is skipped or marked with `only`', () => {
  const faults = tests.flatMap(({ file, line, title, marks, runs }) => {
    const mark = marks.find((one) => leftOut.includes(one))
    return mark || !runs ? [`${file}:${line} is marked ${mark ?? 'as nothing to run'}: ${title}`] : []
  })
  expect(faults).toEqual([])
  expect(tests.length).toBeGreaterThan(20)
})

/** Returns true if the file runs the conformance suites that every engine must pass. */
const runsSuites = (file: string) => /from '[^']*\/conformance\//.test(readText(file))

test('every test file contains a test or runs conformance suites', () => {
  const holding = new Set(tests.map(({ file }) => file))
  expect(files.filter((file) => !holding.has(file) && !runsSuites(file))).toEqual([])
  expect(files.length).toBeGreaterThan(0)
})

const titlesOf = (source: string) => testsIn('planted.spec.tsx', source).map(({ title, runs }) => [title, runs])

test('finds test titles in code, but not in comments and strings', () => {
  expect(
    titlesOf(`
      // test('in a comment', () => {})
      const text = "test('in a string', () => {})"
      test('plain', () => {})
      it("it's quoted", async () => {})
      test('joined ' + 'by plus', () => {})
      test.each([[1, 'test("no")']])('each %s', () => {})
      test.for([1])(\`for \${1}\`, () => {})
      test.describe('block', () => { test('inside', () => { expect(<b>it's</b>) }) })
      somethingTest('of a fixture', () => {})
      runIf.test('not a test', () => {})
    `),
  ).toEqual([
    ['plain', true],
    ["it's quoted", true],
    ['joined by plus', true],
    ['each %s', true],
    ['for …', true],
    ['inside', true],
    ['of a fixture', true],
  ])
})

test('recognizes tests that do not run', () => {
  expect(
    titlesOf(`
      test.skip('skipped', () => {})
      test('without a body')
      test('by option', { skip: true }, () => {})
      test('with an option', { timeout: 5 }, () => {})
      describe.skip('block', () => { test('inside a skipped block', () => {}) })
      test.skipIf(process.platform === 'win32')('on a condition', () => {})
      test('skips itself', () => { test.skip(true, 'for a reason') })
      test.only('alone', () => {})
    `),
  ).toEqual([
    ['skipped', false],
    ['without a body', false],
    ['by option', false],
    ['with an option', true],
    ['block', false],
    ['inside a skipped block', false],
    ['on a condition', true],
    ['skips itself', true],
    ['alone', true],
  ])
})

test('finds single IDs and lists of IDs in square brackets', () => {
  expect(idsIn('a bell [UI-090]')).toEqual(['UI-090'])
  expect(idsIn('a bell [UI-090, S3-001] and [RT-001 RT-002]')).toEqual(['UI-090', 'S3-001', 'RT-001', 'RT-002'])
  expect(idsIn('a bell UI-090 [ui-090] [soon]')).toEqual([])
  expect(unknownIds('no such item [UI-999999]')).toEqual(['UI-999999'])
})

test('rejects an invalid checklist', () => {
  const head = 'id\tkind\tarea\tside\ttext\tsource'
  const row = 'RT-001\troute\tshell\tconsole\tRoute\tS1'
  expect(readChecklist(`${head}\n${row}\n`).get('RT-001')?.area).toBe('shell')
  expect(() => readChecklist(`${head}\n${row}\n${row}\n`)).toThrow('twice')
  expect(() => readChecklist(`${head}\nRT-001\troute\n`)).toThrow('2 cells')
  expect(() => readChecklist(`${head}\n`)).toThrow('empty')
  expect(() => readChecklist(row)).toThrow('columns')
})
