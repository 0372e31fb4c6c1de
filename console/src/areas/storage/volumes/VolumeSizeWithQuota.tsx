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
  /** Called on every keystroke, before the field commits its value; null while it is empty. */
  onTyping: (bytes: number | null) => void
}

/** Field for a volume size in GiB. Reports an invalid value instead of correcting it. */
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
  /** Defaults to the session's project. */
  projectId?: string | undefined
  addedVolumes?: number | undefined
  addedBytes: number
}

/** Shows how much of the project quota a volume will use. */
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
  /** Defaults to the session's project. */
  projectId?: string | undefined
  addedVolumes?: number | undefined
  /** Returns the quota that a volume of this size uses; `size` is null while the field is empty. */
  addedBytes: (size: number | null) => number
}

/** Field for a volume size, with a quota preview that updates on every keystroke. */
export function VolumeSizeWithQuota({ addedBytes, projectId, addedVolumes, ...field }: VolumeSizeWithQuotaProps) {
  const size = useWatched<number | null>('size')
  const [typed, setTyped] = useState<{ over: number | null; bytes: number | null }>()
  // the typed value takes precedence until the field commits a new one
  const shown = typed && typed.over === size ? typed.bytes : size
  return (
    <>
      <VolumeSizeField {...field} onTyping={(bytes) => setTyped({ over: size, bytes })} />
      <VolumeQuota projectId={projectId} addedVolumes={addedVolumes} addedBytes={addedBytes(shown)} />
    </>
  )
}
