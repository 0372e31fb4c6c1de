import { expect, it } from 'vitest'
import { dropEmpty } from '@mainstay/contract/core/filters'
import { parseTyped, valueLabels, writeValues, type ListFilter } from './filter-text'

const status: ListFilter = {
  name: 'status',
  label: 'Status',
  options: [
    { value: 'ACTIVE', label: 'Active' },
    { value: 'ERROR', label: 'Error' },
  ],
}
const name: ListFilter = { name: 'name', label: 'Name' }
const tags: ListFilter = { name: 'tags', label: 'Tags', operator: 'any' }
const all = [status, name, tags]

it('takes filters out of what was typed', () => {
  expect(parseTyped('status:error name:"web 1" left over', all)).toEqual({
    filters: { status: 'in:ERROR', name: 'web 1' },
    search: 'left over',
  })
})

it('leaves words that name no filter alone', () => {
  expect(parseTyped('10.0.0.1:80 note:x', all)).toEqual({ filters: {}, search: '10.0.0.1:80 note:x' })
})

it('negates with a minus', () => {
  expect(parseTyped('-status:error', all).filters).toEqual({ status: 'not:ERROR' })
})

it('writes lists as in:a,b and tags as any:a,b with None for none [VA-015] [VA-016]', () => {
  expect(writeValues(status, ['ACTIVE', 'ERROR'])).toBe('in:ACTIVE,ERROR')
  expect(writeValues(tags, ['red', 'None'])).toBe('any:red,None')
})

it('drops a filter with an empty text [VA-013]', () => {
  expect(writeValues(name, [''])).toBe('')
  expect(dropEmpty({ name: '', tags: null })).toEqual({})
})

it('removes empty and false values from what is asked [VA-018]', () => {
  expect(dropEmpty({ limit: 20, marker: undefined, with_count: false, tags: [], sort: 'name:asc' })).toEqual({
    limit: '20',
    sort: 'name:asc',
  })
})

it('says a filter in the words of the page', () => {
  expect(valueLabels(status, 'in:ACTIVE,ERROR')).toBe('Active, Error')
})
