import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { fireEvent, screen, within } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { openPage, server, withPages } from '../../../../testing/pages'
import { pageTimeout } from '../../../../testing/page-timeout'

withPages()

it('shows the current size, the new size and the resulting quota usage for a resize', { tags: 'all' }, async () => {
  const as = 'project-member'
  const volumes = [{ source: 'blank' as const, size: GiB, boot_index: 0 }]
  const body = { name: 'growing', flavor: 's1.tiny', networks: [], volumes }
  const { id } = await server.call(instances.create, { as, body })
  await vi.waitFor(
    async () => expect(await server.call(instances.view, { as, params: { id } })).toMatchObject({ status: 'ACTIVE' }),
    pageTimeout,
  )
  await openPage(`/compute/instances/${id}/edit/flavor`, as)
  const form = within(await screen.findByRole('dialog', { name: 'Resize “growing”' }, pageTimeout))
  fireEvent.click(await form.findByRole('radio', { name: /^s1\.medium/ }, pageTimeout))
  const change = await form.findByRole('region', { name: 'Changes' }, pageTimeout)
  await vi.waitFor(() => expect(within(change).getAllByRole('meter')).toHaveLength(2), pageTimeout)
  const said = change.textContent.replaceAll('\u00a0', ' ')
  expect(said).toMatch(/Current size1 vCPU512 MiBAfter resizing2 vCPU4 GiB/)
  expect(said).toMatch(/1 \+ 1 of/)
  // a smaller flavor uses no additional quota
  fireEvent.click(form.getByRole('radio', { name: /^s1\.nano/ }))
  await vi.waitFor(() => expect(within(change).queryAllByRole('meter')).toHaveLength(0), pageTimeout)
})
