import { expect, test } from 'vitest'
import { facadeOf, withoutFacades } from './facade-plugin'

test('finds chunks that only name the exports of another one', () => {
  expect(facadeOf('export{t as default}from"./list-abc_D-1.js";\n')).toEqual({
    ...{ file: './list-abc_D-1.js', exports: '{default:e.t}' },
  })
  expect(facadeOf('export{n as PlainPage,same}from`./details-1.js`;')).toEqual({
    ...{ file: './details-1.js', exports: '{PlainPage:e.n,same:e.same}' },
  })
  for (const code of [
    'import{t as e}from"./list-1.js";export{e as default};',
    'import"./other-1.js";export{t as default}from"./list-1.js";',
    'export{t as default}from"./list-1.js";start();',
    'export*from"./list-1.js";',
  ])
    expect(facadeOf(code), code).toBeUndefined()
})

test('imports the code behind a facade, and leaves other imports alone', () => {
  const facades = new Map([['./Page-1.js', { file: './list-2.js', exports: '{default:e.t}' }]])
  expect(withoutFacades('a(()=>import(`./Page-1.js`),[]);b(()=>import("./Form-1.js"));"./Page-1.js"', facades)).toBe(
    'a(()=>import(`./list-2.js`).then(e=>({default:e.t})),[]);b(()=>import("./Form-1.js"));"./Page-1.js"',
  )
})
