import { FileTrigger } from 'react-aria-components/FileTrigger'
import { Button, type ButtonProps } from '../Button'

export interface FileButtonProps extends Omit<ButtonProps, 'onPress'> {
  onSelect: (files: File[]) => void
  /** File extensions or types: `['.pub', 'text/plain']`. */
  accept?: readonly string[] | undefined
  allowsMultiple?: boolean | undefined
  /** Selects a folder and returns all files in it. */
  isForFolder?: boolean | undefined
}

/** A button that opens the file dialog. */
export const FileButton = ({
  onSelect,
  accept,
  allowsMultiple = false,
  isForFolder = false,
  ...button
}: FileButtonProps) => (
  <FileTrigger
    allowsMultiple={allowsMultiple}
    acceptDirectory={isForFolder}
    onSelect={(files) => files && files.length > 0 && onSelect([...files])}
    {...(accept && { acceptedFileTypes: accept })}
  >
    <Button {...button} />
  </FileTrigger>
)
