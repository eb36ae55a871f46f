/** An image in the form that the API accepts: its bytes in base64, and its media type. */
export interface Picture {
  readonly b64: string;
  readonly mediaType: string;
}

export function readPicture(file: Blob): Promise<Picture> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const address = reader.result as string;
      resolve({ b64: address.slice(address.indexOf(',') + 1), mediaType: file.type });
    };
    reader.onerror = () => reject(reader.error ?? new Error('The picture cannot be read.'));
    reader.readAsDataURL(file);
  });
}
