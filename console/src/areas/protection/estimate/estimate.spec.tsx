import { screen, waitFor, within } from '@testing-library/react'
import { beforeAll, expect, it } from 'vitest'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import { backupPlans } from '@mainstay/contract/protection/backup-plans'
import { volumes } from '@mainstay/contract/storage/volumes'
import { writeRecoveryPoint } from '../../../../../server/src/testing/storage/recovery-point'
import { enter, openPage, server, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'

const long = { timeout: 120_000 }
const as = 'project-member'
const list = '/compute/backup-plans'
withPages()
// preloads lazy modules before the tests start
beforeAll(
  () => Promise.all([import('../form/PlanAddPage'), import('../form/PlanEditPage'), import('../page/PlanPage')]),
  60_000,
)

const space = async () => within(await screen.findByRole('region', { name: 'Space' }, pageTimeout))
const shows = async (text: RegExp) => expect(await (await space()).findByText(text, {}, pageTimeout)).toBeTruthy()

it('estimates the space of a plan while its form is edited, and on its page', { ...long, tags: 'all' }, async () => {
  const [measured, fresh] = await Promise.all(
    ['measured', 'fresh'].map((name) => server.call(volumes.create, { as, body: { name, size: GiB } })),
  )
  const body = { name: 'estimated', disabled: true, schedule: { hour: '2' } }
  const { id } = await server.call(backupPlans.create, { as, body })
  const add = (ids: string[]) => server.call(backupPlans.addVolumes, { as, params: { id }, body: { ids } })

  await openPage(`${list}/add`, as)
  await shows(/estimated when the plan has volumes/)

  await add([fresh!.id])
  await openPage(`${list}/${id}`, as)
  await shows(/^Not known yet/)

  await writeRecoveryPoint(server, { volume_id: measured!.id, stored_size: 100 * MiB })
  await writeRecoveryPoint(server, { volume_id: measured!.id, stored_size: 10 * MiB, is_incremental: true })
  await add([measured!.id])
  await openPage(`${list}/${id}`, as)
  // one full recovery point and six incremental ones
  await shows(/^About 160 MiB when/)
  await shows(/^1 of 2 volumes are included/)

  await openPage(`${list}/${id}/edit`, as)
  await shows(/^About 160 MiB when/)
  await enter(/^Recovery points to keep/, '9')
  await shows(/^About 270 MiB when/)
  await enter(/^Recovery points to keep/, '')
  await shows(/^Enter how many recovery points are kept/)
  await waitFor(async () => expect((await space()).queryByText(/^About/)).toBeNull(), pageTimeout)
})
