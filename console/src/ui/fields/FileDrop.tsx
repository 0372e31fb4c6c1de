import { useId, useState } from 'react'
import { DropZone } from 'react-aria-components/DropZone'
import { classes } from '../../lib/classes'
import { shortenMiddle } from '../../lib/ids'
import { Bytes } from '../values/Bytes'
import type { FieldTexts } from './field-parts'
import { FileButton } from './FileButton'
import { IconButton } from '../IconButton'
import { BadIcon, CloseIcon, FileIcon, UploadIcon } from '../icons'
import { useUiText } from '../ui-text'
import { useFileDrag } from './use-file-drag'
import field from './field.module.css'
import css from './FileDrop.module.css'

export interface FileDropProps extends Pick<FieldTexts, 'label' | 'help' | 'error'> {
  files: readonly File[]
  onChange: (files: File[]) => void
  accept?: readonly string[] | undefined
  allowsMultiple?: boolean | undefined
  isDisabled?: boolean | undefined
  /** Text shown while a file is dragged over the page. If set, the whole page becomes the drop zone. */
  anywhere?: string | undefined
}

/** Selects files by drag and drop or by dialog, and lists the selected ones with their sizes. */
export function FileDrop(props: FileDropProps) {
  const { label, help, error, files, onChange, accept, allowsMultiple = false, isDisabled = false, anywhere } = props
  const text = useUiText()
  const labelId = useId()
  const noteId = useId()
  // the pressed button disappears on change, so the focus moves to the button that replaces it
  const [isTouched, setTouched] = useState(false)
  const isWide = useFileDrag(anywhere !== undefined && !isDisabled)
  const take = (chosen: File[]) => {
    const [first] = chosen
    setTouched(true)
    if (first) onChange(allowsMultiple ? [...files, ...chosen] : [first])
  }
  return (
    <fieldset
      className={field.field}
      aria-labelledby={labelId}
      aria-describedby={noteId}
      data-invalid={error !== undefined || undefined}
    >
      <span id={labelId} className={field.label}>
        {label}
      </span>
      <DropZone
        className={classes(css.zone, error !== undefined && css.invalid, isWide && css.wide)}
        isDisabled={isDisabled}
        aria-label={label}
        getDropOperation={() => 'copy'}
        onDrop={({ items }) => {
          void Promise.all(items.filter((item) => item.kind === 'file').map((item) => item.getFile())).then(take)
        }}
      >
        {isWide && (
          <strong className={css.anywhere}>
            <UploadIcon />
            {anywhere}
          </strong>
        )}
        {files.map((file) => (
          <div className={css.file} key={`${file.name}-${file.size}-${file.lastModified}`}>
            <FileIcon />
            <span className={css.name} title={file.name}>
              <bdi>{shortenMiddle(file.name, 48)}</bdi>
            </span>
            <Bytes of={file.size} />
            <IconButton
              icon={CloseIcon}
              label={text('remove', { name: file.name })}
              size="small"
              isDisabled={isDisabled}
              autoFocus={isTouched}
              onPress={() => {
                setTouched(true)
                onChange(files.filter((other) => other !== file))
              }}
            />
          </div>
        ))}
        {(files.length === 0 || allowsMultiple) && (
          <div className={css.ask}>
            <span>{text(allowsMultiple ? 'dropFiles' : 'dropFile')}</span>
            <FileButton
              onSelect={take}
              accept={accept}
              allowsMultiple={allowsMultiple}
              isDisabled={isDisabled}
              autoFocus={isTouched}
              size="small"
              aria-describedby={noteId}
            >
              {text(allowsMultiple ? 'chooseFiles' : 'chooseFile')}
            </FileButton>
          </div>
        )}
      </DropZone>
      <div id={noteId} className={error === undefined ? field.help : field.error}>
        {error === undefined ? (
          help
        ) : (
          <>
            <BadIcon />
            <span>{error}</span>
          </>
        )}
      </div>
    </fieldset>
  )
}
