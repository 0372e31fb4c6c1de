import { useState } from 'react'
import { imageKind, images, type Image } from '@mainstay/contract/compute/images'
import { useList } from '../../../api/use-list'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useDebounced } from '../../../lib/use-debounced'
import { useBound } from '../../../patterns/form/use-bound'
import { ComboBox } from '../../../ui/fields/ComboBox'

interface ImageChoiceProps {
  label: string
  chosen: Image | null
  onChoose: (image: Image | null) => void
}

/** Which image a volume copies: templates only, found by typing. */
export function ImageChoice({ label, chosen, onChoose }: ImageChoiceProps) {
  const t = useT('storage')
  const format = useFormat()
  const { value, onChange, ...bound } = useBound<string | null>('image_id')
  const [typed, setTyped] = useState('')
  // the name of the chosen one is not something to look for: the others are to be seen again
  const search = useDebounced(typed === chosen?.name ? '' : typed)
  const { rows, isLoading, isChanging } = useList(images.list, imageKind, {
    only: { type: 'template', status: 'active', ...(search && { search }) },
    stateIn: 'memory',
    limit: 50,
  })
  const offered = chosen && !rows.some(({ id }) => id === chosen.id) ? [chosen, ...rows] : rows

  return (
    <ComboBox
      {...bound}
      label={label}
      placeholder={t('volumes.imageSearch')}
      value={value}
      onChange={(id) => {
        onChange(id)
        onChoose(offered.find((image) => image.id === id) ?? null)
      }}
      onSearch={setTyped}
      isLoading={isLoading || isChanging}
      items={offered.map((image) => ({
        id: image.id,
        label: image.name,
        ...(image.visibility === 'public' && { description: t('volumes.imagePublic') }),
        end: format.bytes(image.virtual_size ?? image.size ?? 0),
      }))}
    />
  )
}
