import { afterEach, expect, it, vi } from 'vitest'
import { act, renderHook } from '@testing-library/react'
import { freshSession, keepAccess } from '../../../testing/fresh-session'
import { useInstanceCalls, type PlainAction } from './use-instance-calls'

afterEach(() => vi.unstubAllGlobals())

const paths: Record<PlainAction, string> = {
  start: 'start',
  shutDown: 'stop',
  powerOff: 'stop',
  cancelShutdown: 'cancel-stop',
  reboot: 'reboot',
  hardReboot: 'reboot',
  suspend: 'suspend',
  resume: 'resume',
  pause: 'pause',
  unpause: 'unpause',
  shelve: 'shelve',
  unshelve: 'unshelve',
  unrescue: 'unrescue',
  migrate: 'migrate',
  stopMigration: 'stopMigrate',
  evacuate: 'evacuate',
  resetState: 'reset',
}

it('sends the name of the action as the event of each call [CA-005]', async () => {
  freshSession()
  keepAccess()
  const sent: unknown[] = []
  vi.stubGlobal('fetch', (address: string, { method, body }: RequestInit) => {
    sent.push([`${method} ${address}`, (JSON.parse(body as string) as { event: string }).event])
    return Promise.resolve(Response.json({}))
  })
  const { result } = renderHook(() => useInstanceCalls())
  for (const [action, path] of Object.entries(paths)) {
    sent.length = 0
    await act(() => result.current.run(action as PlainAction, 'vm'))
    expect(sent).toEqual([[`POST /api/v2/compute/servers/vm/${path}`, action]])
  }
})
