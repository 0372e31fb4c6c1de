import { expect, it } from 'vitest'
import { dropEmpty } from '@mainstay/contract/core/lists/filters'
import { routerKind } from '@mainstay/contract/networking/routers'
import { volumeKind } from '@mainstay/contract/storage/volumes'
import { addressOf } from '../../api/address'
import {
  isExcluding,
  parseTyped,
  typingAt,
  valueLabels,
  withDomains,
  withValue,
  writeValues,
  type ListFilter,
} from './filter-text'

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

it('extracts filters from typed text', () => {
  expect(parseTyped('status:error name:"web 1" left over', all)).toEqual({
    filters: { status: 'in:ERROR', name: 'web 1' },
    search: 'left over',
    unknown: [],
  })
})

it('reports unknown fields, but searches for addresses and quoted text', () => {
  const none = { filters: {}, unknown: [] }
  expect(parseTyped('web note:x -foo:"a b"', all)).toEqual({
    filters: {},
    search: 'web',
    unknown: ['note:x', '-foo:"a b"'],
  })
  for (const text of ['10.0.0.1:80', 'fa:16:3e:00:00:aa', 'fe::1', 'https://example.test/x', 'note:'])
    expect(parseTyped(text, all)).toEqual({ ...none, search: text })
  expect(parseTyped('"note:x" "two words"', all)).toEqual({ ...none, search: 'note:x two words' })
})

it('detects the word or field value being typed', () => {
  const value = { before: 'web ', isExcluded: false, field: 'status', word: 'er' }
  expect(typingAt('web status:er')).toEqual(value)
  expect(typingAt('web -status:er')).toEqual({ ...value, isExcluded: true })
  expect(typingAt('web status:"a b')).toEqual({ ...value, word: 'a b' })
  expect(typingAt('web sta')).toEqual({ ...value, field: undefined, word: 'sta' })
  expect(typingAt('status:error ')).toEqual({ before: 'status:error ', isExcluded: false, field: undefined, word: '' })
  expect(typingAt('fa:16:3e').field).toBeUndefined()
})

it('adds a value to a multi-value filter, or excludes it', () => {
  expect(withValue(status, 'in:ACTIVE', 'ERROR', false)).toBe('in:ACTIVE,ERROR')
  expect(withValue(status, 'not:ACTIVE', 'ERROR', false)).toBe('in:ERROR')
  expect(withValue(status, 'in:ACTIVE', 'ERROR', true)).toBe('not:ERROR')
  expect(withValue(tags, undefined, 'a,b', false)).toBe('any:a\\,b')
  expect(withValue(name, 'web', 'web-1', false)).toBe('exact:web-1')
  expect([isExcluding(status, 'not:ERROR'), isExcluding(status, 'in:ERROR')]).toEqual([true, false])
})

it('negates with a minus', () => {
  expect(parseTyped('-status:error', all).filters).toEqual({ status: 'not:ERROR' })
})

it('writes lists as in:a,b and tags as any:a,b with None for no value [VA-015] [VA-016]', () => {
  expect(writeValues(status, ['ACTIVE', 'ERROR'])).toBe('in:ACTIVE,ERROR')
  expect(writeValues(tags, ['red', 'None'])).toBe('any:red,None')
})

it('drops a filter with empty text [VA-013]', () => {
  expect(writeValues(name, [''])).toBe('')
  expect(dropEmpty({ name: '', tags: null })).toEqual({})
})

it('removes empty and false values from the query [VA-018]', () => {
  expect(dropEmpty({ limit: 20, marker: undefined, with_count: false, tags: [], sort: 'name:asc' })).toEqual({
    limit: '20',
    sort: 'name:asc',
  })
  const query = { limit: 20, marker: undefined, with_count: false, name: '', tags: [], sort: 'name:asc' }
  expect(addressOf('/api/v2/things', query)).toBe('/api/v2/things?limit=20&sort=name%3Aasc')
  expect(addressOf('/api/v2/things', { name: '', all: false, owner: null })).toBe('/api/v2/things')
})

it('shows filter values with their labels', () => {
  expect(valueLabels(status, 'in:ACTIVE,ERROR')).toBe('Active, Error')
})

it('moves domains in a project filter to a domain filter, if the list has one [VA-017]', () => {
  const project: ListFilter = { name: 'project_id', label: 'Project', operator: 'in' }
  const both = withDomains([name, project], routerKind, 'Domain')
  expect(both.map((it) => it.name)).toEqual(['name', 'project_id', 'domain_id'])
  expect(parseTyped('project:domain:d1 web', both)).toMatchObject({ filters: { domain_id: 'in:d1' }, search: 'web' })
  expect(parseTyped('project:p1,domain:d1,domain:d2', both).filters).toEqual({
    project_id: 'in:p1',
    domain_id: 'in:d1,d2',
  })
  expect(parseTyped('-project:domain:d1', both).filters).toEqual({ domain_id: 'not:d1' })
  expect(parseTyped('project:p1,p2', both).filters).toEqual({ project_id: 'in:p1,p2' })
  expect(parseTyped('project:domain:d1', [project]).filters).toEqual({ project_id: 'in:domain:d1' })
  expect(withDomains([project], volumeKind, 'Domain')).toEqual([project])
  expect(withDomains(both, routerKind, 'Domain')).toBe(both)
})
