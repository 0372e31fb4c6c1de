import { useState, type ReactNode } from 'react'
import { objectNameFaults } from '@mainstay/contract/object-storage/bucket-names'
import { ruleText } from '../../../i18n/said'
import { useT } from '../../../i18n/use-t'
import { notify } from '../../../notices/notices'
import { notifyError } from '../../../notices/notify-error'
import { isReachable } from '../client/address'
import { hasObject } from '../client/objects'
import { visible } from '../files/file-row'
import { ConflictDialog } from './ConflictDialog'
import { followFileUploads } from './notices'
import type { Picked } from './file-upload'
import { enqueue } from './queue'
import type { IfExists } from './records'
import { showUploads } from './upload-panel'

/** Up to this many files are checked one by one for conflicts; beyond that, the user is asked without a check. */
const MOST_CHECKED = 50

/** Why a path cannot be used as a key in this folder; undefined if it can. */
function faultOf(folder: string, path: string): string | undefined {
  const names = path.split('/')
  const above = (at: number) =>
    folder +
    names
      .slice(0, at)
      .map((name) => `${name}/`)
      .join('')
  return names.flatMap((name, at) => objectNameFaults(name, above(at)))[0]
}

/** Uploads files into a folder. Asks before overwriting. Render `dialog` on the page. */
export function useUpload(bucket: string, folder: string): { upload: (picked: Picked[]) => void; dialog: ReactNode } {
  const t = useT('objectStorage')
  const [asked, ask] = useState<{ picked: Picked[]; existing: string[] | null }>()

  function start(picked: readonly Picked[], ifExists: (key: string) => IfExists) {
    void followFileUploads()
    enqueue(bucket, folder, picked, ifExists)
    showUploads()
  }

  async function upload(all: Picked[]) {
    const wrong = all.flatMap(({ path }) => {
      const fault = isReachable(folder + path) ? faultOf(folder, path) : t('files.unreachable')
      return fault === undefined ? [] : [{ path, fault }]
    })
    if (wrong.length > 0)
      notify({
        type: 'error',
        title: t('upload.refused', { count: wrong.length }),
        message: await ruleText(wrong.map(({ path, fault }) => `${visible(path)}: ${fault}`).join('\n')),
      })
    const picked = all.filter(({ path }) => !wrong.some((it) => it.path === path))
    if (picked.length === 0) return
    if (picked.length > MOST_CHECKED) return ask({ picked, existing: null })
    try {
      const keys = picked.flatMap(({ path, file }) => (file ? [`${folder}${path}`] : []))
      const found = await Promise.all(keys.map((key) => hasObject(bucket, key)))
      const existing = keys.filter((_, at) => found[at])
      if (existing.length > 0) ask({ picked, existing })
      else start(picked, () => 'replace')
    } catch (thrown) {
      notifyError(thrown, t('upload.failed', { bucket }))
    }
  }

  const dialog = asked && (
    <ConflictDialog
      names={asked.existing?.map((key) => key.slice(folder.length)) ?? null}
      count={asked.picked.length}
      onAnswer={(answer) => {
        ask(undefined)
        const { picked, existing } = asked
        if (answer) start(picked, (key) => (existing === null || existing.includes(key) ? answer : 'replace'))
      }}
    />
  )
  return { upload: (picked) => void upload(picked), dialog }
}
