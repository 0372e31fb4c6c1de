import { taskIsOver, tasks } from '@mainstay/contract/core/tasks'
import { reports } from '@mainstay/contract/settings/reports'
import { expect, it, vi } from 'vitest'
import { signIn } from '../testing/api-client'
import { newDataFolder } from '../testing/data-folder'
import { startReportDestination } from '../testing/outside/report-destination'
import { ADMIN_PASSWORD, removeData, startProgram } from '../testing/server-program'

const administrator = { username: 'admin', password: ADMIN_PASSWORD }
const unhurried = { timeout: 60_000, interval: 100 }

it(
  'a server killed while sending a report leaves one complete archive, and its task finishes',
  { timeout: 300_000 },
  async () => {
    const folder = await newDataFolder()
    const destination = await startReportDestination()
    destination.answers = 'never'
    let program = await startProgram({ folder })
    try {
      const enter = () => signIn(program.adminUrl, administrator)
      let api = await enter()
      const problem = { sending_enabled: true, url: destination.url, ca: destination.ca }
      await api.call(reports.saveSettings, { body: { problem } })
      const { task_id } = await api.call(reports.create, { body: { contact_email: 'ada@example.com' } })
      await vi.waitFor(() => expect(destination.taken).toHaveLength(1), unhurried)
      await program.kill()
      destination.answerNow()
      program = await startProgram({ folder })
      api = await enter()
      await vi.waitFor(async () => {
        const task = await api.call(tasks.view, { params: { id: task_id } })
        expect(taskIsOver(task.state)).toBe(true)
        expect(task).toMatchObject({ state: 'success', result: { is_sent: true } })
      }, unhurried)
      const { data } = await api.call(reports.list)
      expect(data).toMatchObject([{ task_id, size: expect.any(Number), sent_at: expect.any(String) }])
      const file = await api.fetch(reports.download, { params: { id: data[0]!.id } })
      // both attempts sent the same archive with the same idempotency key
      const bytes = Buffer.from(await file.arrayBuffer())
      expect(destination.taken.map((taken) => taken.bytes.equals(bytes))).toEqual([true, true])
      expect(new Set(destination.taken.map(({ headers }) => headers['idempotency-key']))).toEqual(
        new Set([data[0]!.id]),
      )
      expect((await api.call(reports.settings)).problem.running).toBe(false)
    } finally {
      await program.kill()
      await destination.close()
      await removeData(folder)
    }
  },
)
