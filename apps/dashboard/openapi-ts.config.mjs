/** How the dashboard's client is made from the API's document; the folder is given on the command line. */
export default {
  input: './apps/api/openapi.json',
  plugins: [
    '@hey-api/typescript',
    '@hey-api/sdk',
    { name: '@hey-api/client-angular', baseUrl: false },
    '@angular/common',
  ],
};
