import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { useBound } from '../../../../patterns/form/use-bound'
import { Banner } from '../../../../ui/feedback/Banner'
import { FileButton } from '../../../../ui/fields/FileButton'
import { TextArea } from '../../../../ui/fields/TextArea'
import { maxScriptBytes, scriptBytes, scriptKind } from './script-text'
import css from './step.module.css'

/** The cloud-init script to run at first boot, with its detected type and its size. */
export function ScriptStep() {
  const t = useT('instance')
  const format = useFormat()
  const { value: script, onChange, onBlur, error, isDisabled } = useBound<string>('script')
  const kind = scriptKind(script)
  const size = scriptBytes(script)
  const read = async (file: File | undefined) => {
    // read one byte more than allowed, to detect that the file is too large
    if (file) onChange(await file.slice(0, maxScriptBytes + 1).text())
  }
  const tooLong = size > maxScriptBytes ? t('instances.add.scriptTooLong', { most: maxScriptBytes / 1024 }) : undefined
  const shown = error ?? tooLong
  return (
    <div className={css.step}>
      <TextArea
        label={t('instances.script')}
        isOptional
        isMono
        className={css.tall}
        value={script}
        onChange={onChange}
        onBlur={onBlur}
        isDisabled={isDisabled}
        placeholder={'#!/bin/sh'}
        help={t('instances.script.size', { size: format.bytes(size), most: format.bytes(maxScriptBytes) })}
        {...(shown !== undefined && { error: shown })}
      />
      <div className={css.buttons}>
        <FileButton size="small" onSelect={([file]) => void read(file)}>
          {t('instances.script.file')}
        </FileButton>
      </div>
      {kind === 'unknown' ? (
        <Banner tone="warn">{t('instances.script.unknown')}</Banner>
      ) : (
        <p className={css.note}>{t('instances.script.help')}</p>
      )}
    </div>
  )
}
