import { instances } from '@mainstay/contract/compute/instances'
import { recycleBin, type Restored } from '@mainstay/contract/storage/recycle-bin'
import { volumes } from '@mainstay/contract/storage/volumes'
import { call } from '../../api/call'
import { refresh } from '../../api/use-call'
import { formatNow } from '../../i18n/use-format'
import { textsNow } from '../../i18n/use-t'
import { hideNotice, notify, toast } from '../../notices/notices'
import { notifyError } from '../../notices/notify-error'

/** Long enough to notice the deletion and click Undo. */
const UNDO_MS = 10_000

/** Reports that an object was restored, and how it differs from before. The strings must already be loaded. */
export function tellRestored({ name, left_out: leftOut, new_addresses: newAddresses }: Restored): void {
  const t = textsNow('recycleBin')
  const changes = [
    ...leftOut.map((it) => t(`leftOut.${it.kind}`, { name: it.name })),
    ...newAddresses.map(({ network, now }) => t('newAddresses', { network, addresses: formatNow().list(now) })),
  ]
  if (changes.length === 0) return void toast(t('restored', { name }))
  notify({ type: 'warning', title: t('restoredWithout', { name }), message: changes.join('\n'), duration: UNDO_MS })
}

async function undo(id: string, name: string): Promise<void> {
  try {
    tellRestored(await call(recycleBin.restore, { params: { id }, body: {} }))
    await refresh([instances.list, volumes.list, recycleBin.list])
  } catch (thrown) {
    notifyError(thrown, textsNow('recycleBin')('restoreFailed', { name }))
  }
}

/** Reports that an object was moved to the recycle bin, with an undo button. The strings must already be loaded. */
export function tellRecycled({ id, name }: { id: string; name: string }, days: number): void {
  const t = textsNow('recycleBin')
  const notice = notify({
    type: 'success',
    title: t('recycled', { name }),
    message: t('recycled.until', { days }),
    duration: UNDO_MS,
    actions: [
      {
        label: t('undo'),
        // after a page reload, the button opens the recycle bin instead
        name: 'open',
        payload: '/compute/recycle-bin',
        click: () => {
          hideNotice(notice)
          void undo(id, name)
        },
      },
    ],
  })
}
