import { imageKind, images, type Image } from '@mainstay/contract/compute/images'
import { CHOICE_LIMIT } from '@mainstay/contract/core/lists/paging'
import { useList } from '../../../api/use-list'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { useTypedSearch } from '../../../lib/use-typed-search'
import { useBound } from '../../../patterns/form/use-bound'
import { ComboBox } from '../../../ui/fields/ComboBox'

interface ImageChoiceProps {
  label: string
  chosen: Image | null
  onChoose: (image: Image | null) => void
}

/** Searchable picker for the image to copy to a volume. */
export function ImageChoice({ label, chosen, onChoose }: ImageChoiceProps) {
  const t = useT('storage')
  const format = useFormat()
  const { value, onChange, ...bound } = useBound<string | null>('image_id')
  const { search, onSearch, isAwaited } = useTypedSearch(chosen?.name)
  const { rows, isLoading, isChanging } = useList(images.list, imageKind, {
    only: { type: 'template', status: 'active', ...(search && { search }) },
    stateIn: 'memory',
    limit: CHOICE_LIMIT,
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
      onSearch={onSearch}
      isLoading={isAwaited || isLoading || isChanging}
      items={offered.map((image) => ({
        id: image.id,
        label: image.name,
        ...(image.visibility === 'public' && { description: t('volumes.imagePublic') }),
        end: format.bytes(image.virtual_size ?? image.size ?? 0),
      }))}
    />
  )
}
