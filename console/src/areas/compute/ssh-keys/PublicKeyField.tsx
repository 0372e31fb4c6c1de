import { useState, type DragEvent } from 'react'
import { parsePublicKey } from '@mainstay/contract/compute/ssh-key-rules'
import { useT } from '../../../i18n/use-t'
import { classes } from '../../../lib/classes'
import { TextArea } from '../../../ui/fields/TextArea'
import { FileButton } from '../../../ui/fields/FileButton'
import { useBound } from '../../../patterns/form/use-bound'
import css from './PublicKeyField.module.css'

/** Far larger than any key. Limits how much is read if the user picks the wrong file. */
const readMostBytes = 64 * 1024

/**
 * A public key: pasted, dropped as a file, or chosen. The key's comment becomes the name if the name field is empty.
 */
export function PublicKeyField() {
  const t = useT('compute')
  const key = useBound<string>('public_key')
  const name = useBound<string>('name')
  const [isOver, setOver] = useState(false)

  function take(text: string) {
    const line = text.trim()
    key.onChange(line)
    const parsed = parsePublicKey(line)
    const comment = typeof parsed === 'string' ? '' : parsed.comment.replace(/[^A-Za-z0-9_. -]+/g, '-')
    if (name.value === '' && comment) name.onChange(comment)
  }
  const read = async (file: File | undefined) => {
    if (file) take(await file.slice(0, readMostBytes).text())
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void read(event.dataTransfer.files[0])
  }

  return (
    <div
      className={classes(css.field, isOver && css.over)}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <TextArea
        {...key}
        label={t('sshKeys.publicKey')}
        help={t('sshKeys.publicKeyHelp')}
        placeholder="ssh-ed25519 AAAA…"
        rows={5}
        isMono
        onChange={key.onChange}
        onPaste={(event) => {
          // replace the whole text, because pasting a key into another one would produce an invalid key
          event.preventDefault()
          take(event.clipboardData.getData('text'))
        }}
      />
      <FileButton
        size="small"
        className={css.choose}
        onSelect={([file]) => void read(file)}
        isDisabled={key.isDisabled}
      >
        {t('sshKeys.chooseFile')}
      </FileButton>
    </div>
  )
}
