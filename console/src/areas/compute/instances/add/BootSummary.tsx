import { imageKind, images } from '@mainstay/contract/compute/images'
import { useView } from '../../../../api/use-view'
import { useT } from '../../../../i18n/use-t'
import type { Boot } from './instance-form'
import css from './step.module.css'

/** Summarizes the boot source, or shows an error if its image has since been deleted. */
export function BootSummary({ boot }: { boot: Boot }) {
  const t = useT('instance')
  if (boot.from === 'volume')
    return (
      <span className={css.line}>
        <bdi>{boot.volume.name}</bdi>
        <span className={css.dim}>{t('instances.add.existingVolume')}</span>
      </span>
    )
  return <ImageSummary id={boot.image.id} name={boot.image.name} isIso={boot.from === 'iso'} />
}

function ImageSummary({ id, name, isIso }: { id: string; name: string; isIso: boolean }) {
  const t = useT('instance')
  const { problem } = useView(images.view, { id }, { kind: imageKind })
  const isGone = problem?.kind === 'not-found'
  return (
    <span className={css.line}>
      <bdi>{name}</bdi>
      {isGone ? (
        <span className={css.fault} role="alert">
          {t('instances.add.imageGone')}
        </span>
      ) : (
        <span className={css.dim}>{t(isIso ? 'instances.add.iso' : 'instances.add.image')}</span>
      )}
    </span>
  )
}
