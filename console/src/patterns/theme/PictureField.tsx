import { useId } from 'react'
import { themePictures, type ThemePicture } from '@mainstay/contract/identity/themes'
import { useT } from '../../i18n/use-t'
import { useBound } from '../form/use-bound'
import { Button } from '../../ui/Button'
import { FileButton } from '../../ui/fields/FileButton'
import css from './theme.module.css'

/** Encodes a file as a data URL. Icon files have two MIME types; this always uses the same one. */
const addressOf = async (file: File): Promise<string> => {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const type = /\.ico$/i.test(file.name) ? 'image/x-icon' : file.type
  return `data:${type};base64,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`
}

/** Field for a theme picture: choose a file, preview it, remove it. */
export function PictureField({ name, label, help }: { name: ThemePicture; label: string; help: string }) {
  const t = useT('theme')
  const { value, onChange, error, isDisabled } = useBound<string | undefined>(name)
  const id = useId()
  const { types } = themePictures[name]
  return (
    <div className={css.field} role="group" aria-labelledby={id} aria-describedby={`${id}-note`}>
      <span id={id} className={css.label}>
        {label}
      </span>
      <div className={css.picture}>
        {value !== undefined && error === undefined && <img src={value} height={32} alt={t('theme.chosen')} />}
        <FileButton
          accept={types}
          isDisabled={isDisabled}
          onSelect={([file]) => file && void addressOf(file).then(onChange)}
        >
          {t(value === undefined ? 'theme.choose' : 'theme.chooseOther')}
        </FileButton>
        {value !== undefined && (
          <Button variant="plain" isDisabled={isDisabled} onPress={() => onChange(undefined)}>
            {t('theme.remove')}
          </Button>
        )}
      </div>
      <small id={`${id}-note`} className={error === undefined ? css.note : css.fault} role={error && 'alert'}>
        {error ?? help}
      </small>
    </div>
  )
}
