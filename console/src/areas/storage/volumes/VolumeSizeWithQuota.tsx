import { useState, type ReactNode } from 'react'
import { useWatched } from '../../../patterns/form/use-watched'
import { useT } from '../../../i18n/use-t'
import { ProjectQuota } from '../../../patterns/ProjectQuota'
import { bytesToGib, gibToBytes } from '@mainstay/contract/core/bytes'
import { MAX_VOLUME_BYTES } from '@mainstay/contract/storage/volumes'
import { SizeField } from '../../../patterns/form/SizeField'
import { typedGib } from './typed-gib'

const whole = { maximumFractionDigits: 0 }

interface VolumeSizeFieldProps {
  label: string
  help?: ReactNode
  leastBytes: number
  autoFocus?: boolean
  /** With every digit, before the field is left; null while it is empty. */
  onTyping: (bytes: number | null) => void
}

/** The size of a volume, in GiB; says what is wrong instead of changing what was typed. */
function VolumeSizeField({ label, help, leastBytes, autoFocus = false, onTyping }: VolumeSizeFieldProps) {
  return (
    <div
      onInput={({ target }) => {
        const gib = typedGib((target as HTMLInputElement).value)
        onTyping(gib === null ? null : gibToBytes(gib))
      }}
    >
      <SizeField
        name="size"
        label={label}
        help={help}
        minValue={bytesToGib(leastBytes)}
        maxValue={bytesToGib(MAX_VOLUME_BYTES)}
        commitBehavior="validate"
        formatOptions={whole}
        autoFocus={autoFocus}
      />
    </div>
  )
}

interface VolumeQuotaProps {
  /** Whose; the project of the session unless said. */
  projectId?: string | undefined
  addedVolumes?: number | undefined
  addedBytes: number
}

/** What a volume costs of the project's quota, drawn while its size is typed. */
function VolumeQuota({ projectId, addedVolumes = 0, addedBytes }: VolumeQuotaProps) {
  const t = useT('storage')
  const storage = { quota: 'storage', label: t('volumes.storage'), added: addedBytes } as const
  const volumes = { quota: 'volumes', label: t('volumes.title'), added: addedVolumes } as const
  return <ProjectQuota projectId={projectId} rows={addedVolumes > 0 ? [storage, volumes] : [storage]} />
}

interface VolumeSizeWithQuotaProps {
  label: string
  help: ReactNode
  leastBytes: number
  autoFocus?: boolean
  /** Whose quota it is; left out: one's own. */
  projectId?: string | undefined
  addedVolumes?: number | undefined
  /** What such a size takes of the quota; null: the field is empty. */
  addedBytes: (size: number | null) => number
}

/** The size of a volume, and what it takes of the quota with every digit that is typed. */
export function VolumeSizeWithQuota({ addedBytes, projectId, addedVolumes, ...field }: VolumeSizeWithQuotaProps) {
  const size = useWatched<number | null>('size')
  const [typed, setTyped] = useState<{ over: number | null; bytes: number | null }>()
  // what is typed counts until the field has a new value of its own
  const shown = typed && typed.over === size ? typed.bytes : size
  return (
    <>
      <VolumeSizeField {...field} onTyping={(bytes) => setTyped({ over: size, bytes })} />
      <VolumeQuota projectId={projectId} addedVolumes={addedVolumes} addedBytes={addedBytes(shown)} />
    </>
  )
}
