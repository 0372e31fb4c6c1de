import { volumeKind } from '@mainstay/contract/storage/volumes'
import type { Kind } from '@mainstay/contract/core/kind'
import { afterEach, expect, it, vi } from 'vitest'
import { useSession } from '../../session/session'
import { exportList } from './export-list'

afterEach(() => void vi.restoreAllMocks())

it('exports a list with its filters and sort, from the current project', () => {
  const addresses: URL[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    addresses.push(new URL(this.href))
  })
  const kind = volumeKind as unknown as Kind
  const question = { status: 'in:error', sort: 'size:desc', search: 'web' }
  const scopes = ['project', 'system'] as const
  for (const scope of scopes) {
    useSession.setState({ meta: { scope: { kind: scope } }, project: { id: 'p1' } } as never)
    exportList({ kind, question }, 'csv')
  }
  const asked = addresses.map(({ pathname, searchParams }) => [pathname, Object.fromEntries(searchParams)])
  const path = '/api/v2/exports/volume'
  expect(asked).toEqual([
    [path, { ...question, project_id: 'p1', format: 'csv' }],
    [path, { ...question, format: 'csv' }],
  ])
})
