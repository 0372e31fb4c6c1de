import { useState, type ReactNode } from 'react'
import { useWatched } from '../../../patterns/form/use-watched'
import { VolumeQuota } from './VolumeQuota'
import { VolumeSizeField } from './VolumeSizeField'

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
