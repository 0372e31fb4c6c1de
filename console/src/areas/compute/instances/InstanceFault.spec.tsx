import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { render, screen } from '@testing-library/react'
import { beforeEach, expect, it } from 'vitest'
import { I18n } from '../../../i18n/I18n'
import { loadTexts } from '../../../i18n/use-t'
import { allows } from '../../../session/may'
import { setSession } from '../../../session/session'
import { freshSession } from '../../../testing/fresh-session'
import { InstanceFault } from './InstanceFault'

const way = /hard reboot/
const fault = { code: 500, message: 'No host has room', created: '2026-11-27T20:00:00Z' }
const failed = { id: 'i', name: 'web', status: 'ERROR', task_state: null, fault } as unknown as Instance

const allOf = (methods: string[]) =>
  ({
    permissions: new Proxy({}, { get: (_, name) => ({ name, methods }), has: () => true }),
  }) as never

async function show(instance: Instance) {
  await loadTexts('instance')
  const routeTree = createRootRoute({ component: () => <InstanceFault instance={instance} /> })
  const router = createRouter({ routeTree, history: createMemoryHistory() })
  const shown = render(
    <I18n>
      <RouterProvider router={router as never} />
    </I18n>,
  )
  await screen.findByText('No host has room')
  return shown
}

beforeEach(freshSession)

it('suggests a hard reboot of a failed instance only while it is possible and the user has permission', async () => {
  setSession({ meta: allOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) })
  const asked = await show(failed)
  expect(screen.getByText(way)).toBeTruthy()
  asked.unmount()
  // a hard reboot is already in progress
  const busy = await show({ ...failed, task_state: 'rebooting_hard' })
  expect(screen.queryByText(way)).toBeNull()
  busy.unmount()
  setSession({ meta: allOf(['GET']) })
  expect(allows(allOf(['GET']), instances.reboot.needs)).toBe(false)
  await show(failed)
  expect(screen.queryByText(way)).toBeNull()
})
